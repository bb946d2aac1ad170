"""python -m faults.licences: list the licence of every package that the course brings in."""

import re
import sys
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "data" / "LICENCES.md"
# Some packages only say it in a file; looked up there.
KNOWN = {"debugpy": "MIT", "jedi": "MIT"}


def dependencies() -> dict[str, metadata.Distribution]:
    """What requirements.txt names, and what that needs on this machine: name -> package."""
    wanted = re.findall(r"^([\w.-]+)==", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    found: dict[str, metadata.Distribution] = {}
    while wanted:
        name = re.sub(r"[-_.]+", "-", wanted.pop()).lower()
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        needed = map(Requirement, found[name].requires or ())
        here = {"extra": ""}
        wanted += [one.name for one in needed if not one.marker or one.marker.evaluate(here)]
    return dict(sorted(found.items()))


def licence_of(package: metadata.Distribution) -> str:
    """From the newest field of the metadata that says it."""
    about = package.metadata
    if said := about.get("License-Expression"):
        return said
    classes = [one.split(" :: ")[-1] for one in about.get_all("Classifier") or ()
               if one.startswith("License ::")]  # fmt: skip
    named = [one for one in classes if one != "OSI Approved"]
    if named:
        return ", ".join(named)
    first = (about.get("License") or "").strip().splitlines()
    if first and len(first[0]) < 80:
        return first[0]
    return KNOWN.get(package.metadata["Name"].lower(), "unknown")


def page() -> str:
    lines = [
        "# Licences of what the course runs on",
        "",
        "Written by `make licences` from the packages' own metadata: everything in",
        "requirements.txt, and what that needs. Nothing of it is part of this project.",
        "",
        "| package | version | licence |",
        "|---|---|---|",
    ]
    for name, package in dependencies().items():
        lines.append(f"| {name} | {package.version} | {licence_of(package).replace('|', '/')} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    unknown = [name for name, one in dependencies().items() if licence_of(one) == "unknown"]
    print(f"{len(dependencies())} packages in {PAGE}; unknown: {', '.join(unknown) or 'none'}")
    sys.exit(bool(unknown))
