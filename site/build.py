"""Build the course site: gather the pages, call Sphinx, check every link.

python site/build.py        into site/_build/html; `make site` makes the environment first

Pages are what is committed: the executed notebooks, the Markdown files, the recorded claims. They
keep their places in the repository, so the links between them stay as they are.
"""

import html.parser
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from string import Template
from urllib.parse import unquote, urlsplit

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BUILD = HERE / "_build"
FIGURE = "data/results/raw_and_tuned.png"
PROFILES = ("mini", "real")
SUMMARY = re.compile(r"<!-- summary -->\n(.*?)\n<!-- /summary -->", re.DOTALL)
# What a reader should guess or write before looking is folded: the call that shows it, its label.
SPOILERS = {"you_said(": "Show what was measured", "peek(": "Show how the package does it"}
CSS_OUTSIDE = re.compile(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')]+)")
TRANSLATIONS = re.compile(r"^KO (.+) · ZH (.+)(?= · )", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")


def pages() -> dict[str, list[str]]:
    """Every page but the landing page, by the heading that it has in the menu."""

    def found(pattern: str) -> list[str]:
        return sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern))

    return {
        "Notebooks": found("notebooks/*.ipynb"),
        "To look things up": ["notebooks/GLOSSARY.md", "data/results/LEDGER.md"],
        "Models and data": ["data/README.md", *found("data/models/*/README.md")],
        "Teaching": ["notebooks/INSTRUCTORS.md", "notebooks/PROJECT_SHEET.md"],
    }


def landing_page() -> str:
    """site/index.md with the findings, the notebooks and the menu filled in."""
    text = (HERE / "index.md").read_text(encoding="utf-8")
    return Template(text).substitute(
        findings=findings(), notebooks=notebooks(), contents="\n".join(map(menu, pages()))
    )


def menu(heading: str) -> str:
    names = "\n".join(name.rsplit(".", 1)[0] for name in pages()[heading])
    return f"```{{toctree}}\n:hidden:\n:caption: {heading}\n\n{names}\n```\n"


def notebooks() -> str:
    """Every notebook as a link that shows its question."""
    lines = []
    for name in pages()["Notebooks"]:
        first = json.loads((ROOT / name).read_text(encoding="utf-8"))["cells"][0]
        title = "".join(first["source"]).splitlines()[0].removeprefix("# ")
        lines.append(f"- [{title}]({name})")
    return "\n".join(lines)


def findings() -> str:
    """How many claims of the paper hold, in the README's words, and which of them."""
    claims, verdicts = {}, {}
    for profile in PROFILES:
        path = ROOT / "data" / "results" / profile / "claims.json"
        for claim in json.loads(path.read_text(encoding="utf-8"))["claims"]:
            claims[claim["id"]] = claim["claim"]
            verdicts.setdefault(claim["id"], {})[profile] = claim["verdict"]
    lines = [
        f"We measured {len(claims)} claims of the paper, by rules fixed before the run. *mini* is",
        "small models of ours on our own small corpora, *real* some on real corpora.",
        "No verdict is about full-size BERT.\n",
    ]
    said = SUMMARY.search((ROOT / "README.md").read_text(encoding="utf-8"))[1]
    lines += [f"- {sentence}." for sentence in said.rstrip(".").split(". ")]
    for title, sizes in (("both sizes", (2,)), ("one size only", (1,)), ("neither size", (0,))):
        ids = [id for id in claims if list(verdicts[id].values()).count("holds") in sizes]
        lines += [f"\n<details><summary>{len(ids)} hold in {title}</summary>\n"]
        for id in ids:
            shown = ", ".join(f"{profile}: {verdict}" for profile, verdict in verdicts[id].items())
            lines.append(f"- **{id}** {claims[id]} (*{shown}*)")
        lines += ["\n</details>"]
    return "\n".join(lines)


def gather(source: Path) -> None:
    """Copy every page to its place under `source`, ready for Sphinx."""
    known = {name for names in pages().values() for name in names}
    for name in known:
        text = (ROOT / name).read_text(encoding="utf-8")
        page = source / name
        page.parent.mkdir(parents=True, exist_ok=True)
        text = notebook(text, name, known) if name.endswith(".ipynb") else relink(text, name, known)
        # Korean and Chinese share code points that are drawn differently: name the language.
        text = TRANSLATIONS.sub(
            r'KO <span lang="ko">\1</span> · ZH <span lang="zh">\2</span>', text
        )
        page.write_text(text, encoding="utf-8")
    shutil.copy(ROOT / FIGURE, source / FIGURE)
    (source / "index.md").write_text(landing_page(), encoding="utf-8")


def notebook(text: str, name: str, known: set[str]) -> str:
    """A notebook as committed, with some cells folded and its figures described."""
    content = json.loads(text)
    for cell in content["cells"]:
        code = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            cell["source"] = relink(code, name, known)
            continue
        tags = cell["metadata"].setdefault("tags", [])
        options = cell["metadata"]["mystnb"] = {}
        if folded := fold(code, tags):
            tags.append(folded[0])
            options["code_prompt_show"] = folded[1]
        for output in cell["outputs"]:
            if alt := output.get("metadata", {}).get("image/png", {}).get("alt"):
                options["image"] = {"alt": alt}
    return json.dumps(content)


def fold(code: str, tags: list[str]) -> tuple[str, str] | None:
    """What of a code cell is folded, as a tag of myst-nb, and the label to click on."""
    if "setup" in tags:
        return "hide-input", "Show the setup"
    for call, label in SPOILERS.items():
        if call in code:
            return "hide-output", label
    if code.startswith("plots.show("):
        return "hide-input", "Show the code of the figure"
    return None


def relink(text: str, name: str, known: set[str]) -> str:
    """Links that Sphinx cannot follow: to files that are no page, and to anchors in raw HTML."""

    def follow(link: re.Match) -> str:
        address = urlsplit(link[2])
        path = (ROOT / name).parent / unquote(address.path) if address.path else ROOT / name
        if address.scheme or not path.exists():
            return link[0]
        place = path.resolve().relative_to(ROOT).as_posix()
        if place not in known:
            return f"{link[1]} (`{place}`)"
        if f'id="{address.fragment}"' in path.read_text(encoding="utf-8").replace('\\"', '"'):
            page = address.path.rsplit(".", 1)[0] + ".html" if address.path else ""
            return f'<a href="{page}#{address.fragment}">{link[1]}</a>'
        return link[0]

    return LINK.sub(follow, text)


class Page(html.parser.HTMLParser):
    """The ids of a page and every address in it, with the tag that has it."""

    def __init__(self, path: Path):
        super().__init__()
        self.ids, self.addresses = set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs:
            if key == "id" or (tag, key) == ("a", "name"):
                self.ids.add(value)
            elif key in ("href", "src", "data", "poster") and value:
                self.addresses.append((tag, value))


def problems(folder: Path) -> list[str]:
    """Broken links and images, and whatever a browser would fetch from outside."""
    parsed = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    found = []
    for path, page in parsed.items():
        for tag, address in page.addresses:
            parts = urlsplit(address)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if parts.scheme in ("data", "mailto") or (tag == "a" and parts.netloc):
                continue
            if parts.netloc:
                trouble = "would be fetched from outside"
            elif not target.is_file():
                trouble = "is not there"
            elif target in parsed and unquote(parts.fragment) not in {"", *parsed[target].ids}:
                trouble = "has no such place"
            else:
                continue
            found.append(f"{path.relative_to(folder)}: {address} {trouble}")
    for path in sorted(folder.rglob("*.css")):
        for address in CSS_OUTSIDE.findall(path.read_text(encoding="utf-8")):
            found.append(f"{path.relative_to(folder)}: {address} would be fetched from outside")
    return found


def main() -> None:
    source, out = BUILD / "source", BUILD / "html"
    shutil.rmtree(BUILD, ignore_errors=True)
    gather(source)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    command += ["-c", HERE, "-d", BUILD / "doctrees", source, out]
    if code := subprocess.call(command):
        raise SystemExit(code)
    if found := problems(out):
        raise SystemExit("\n".join(found))
    print(f"{len(list(out.rglob('*.html')))} pages, every link checked: open {out / 'index.html'}")


if __name__ == "__main__":
    main()
