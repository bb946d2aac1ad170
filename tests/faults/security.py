"""Nothing that is opened can run code, nothing is fetched unchecked, no secret is published."""

import ast
import io
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from faults.table import Case, Lost

ROOT = Path(__file__).resolve().parents[2]
CODE = ("sbert_lab", "notebooks", "data/build", ".ci", "site", "tests")
RUNS_CODE = {"harness.py", "test_public_backbones.py"}  # a cell's own; a recipe that we print
FORBIDDEN = {"pickle", "cPickle", "dill", "joblib", "cloudpickle", "shelve", "marshal"}
LICENCES = ROOT / "data" / "LICENCES.md"
SECRETS = {
    "a hub token": r"\bhf_[A-Za-z0-9]{30,}",
    "a GitHub token": r"\bgh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{30,}",
    "a cloud key": r"\bAKIA[0-9A-Z]{16}\b",
    "an API key": r"\bsk-[A-Za-z0-9_-]{32,}",
    "a private key": r"BEGIN [A-Z ]*PRIVATE KEY",
    "a password in an address": r"https?://[^/\s:@\"']+:[^/\s:@\"']+@",
    "somebody's home folder": r"/(?:home|Users)/[a-z][\w.-]+/",
}


def cases() -> Iterator[Case]:
    yield Case("no pickle, no eval, no shell string in any module", no_dangerous_call)
    yield Case("malicious weights (.bin, .pt, .pkl) are refused unopened", malicious_weights)
    yield Case("a folder that brings its own code does not run it", remote_code)
    yield Case("arrays and indexes with pickled objects are refused", pickled_arrays)
    yield Case("no secret in notebooks, results, data or code", no_secret)
    yield Case("wheels: pinned by sha256, read as zip files", wheels)
    yield Case("every hub revision is a full commit", pinned_revisions)
    yield Case("pip check", pip_check)
    yield Case("licences of all dependencies are listed", licences)


def sources() -> list[Path]:
    found = [path for folder in CODE for path in sorted((ROOT / folder).rglob("*.py"))]
    return [path for path in found if not {".venv", "_build"} & set(path.parts)]


def no_dangerous_call(number: int) -> int:
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            problem = dangerous(node)
            if problem and not (problem == "exec" and path.name in RUNS_CODE):
                raise Lost(f"{path.relative_to(ROOT)}, line {node.lineno}: {problem}")
    return len(sources())


def dangerous(node: ast.AST) -> str:
    """What is wrong with this piece of code, or nothing."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = {alias.name.split(".")[0] for alias in node.names}
        names.add((getattr(node, "module", "") or "").split(".")[0])
        return f"import {', '.join(names & FORBIDDEN)}" if names & FORBIDDEN else ""
    if not isinstance(node, ast.Call):
        return ""
    called = ast.unparse(node.func)
    options = {one.arg: getattr(one.value, "value", None) for one in node.keywords}
    if called in ("eval", "exec", "os.system", "os.popen", "subprocess.getoutput"):
        return called
    if options.get("shell") or options.get("allow_pickle") or options.get("trust_remote_code"):
        return "shell=, allow_pickle= or trust_remote_code="
    if called == "torch.load" and options.get("weights_only") is not True:
        return "torch.load without weights_only=True"
    return ""


def explosive(mark: Path) -> bytes:
    """A pickle that would run code; written by hand."""
    name = str(mark).encode()
    return b"cposix\nmkdir\n(V" + name + b"\ntR."


def malicious_weights(number: int) -> int:
    from faults import tiny
    from sbert_lab.errors import LabError
    from sbert_lab.tasks import CrossEncoder
    from sbert_lab.word_encoder import WordEncoder

    names = ("pytorch_model.bin", "model.pt", "weights.pkl", "model.safetensors", "model.ckpt")
    for name in names:
        with tempfile.TemporaryDirectory() as place:
            mark, folder = Path(place, "exploded"), Path(place, "model")
            tiny.encoder().save(folder)
            (folder / "model.safetensors").unlink()
            (folder / "sbert_lab.json").unlink()
            (folder / name).write_bytes(explosive(mark))
            with zipfile.ZipFile(folder / f"zipped-{name}", "w") as archive:
                archive.writestr("archive/data.pkl", explosive(mark))
            for load in (tiny.SentenceEncoder.load, CrossEncoder.load, WordEncoder.load):
                try:
                    load(folder)
                except LabError:
                    continue
                raise Lost(f"{load.__qualname__} opened {name}")
            if mark.exists():
                raise Lost(f"{name} was unpickled")
    with tempfile.TemporaryDirectory() as place:  # the trap itself works
        mark = Path(place, "exploded")
        program = f"import pickle; pickle.loads({explosive(mark)!r})"
        subprocess.run([sys.executable, "-c", program], check=True)
        if not mark.exists():
            raise Lost("the malicious file is harmless: this case proves nothing")
    return 3 * len(names)


def remote_code(number: int) -> None:
    from faults import tiny
    from sbert_lab.errors import LabError

    with tempfile.TemporaryDirectory() as place:
        mark, folder = Path(place, "exploded"), Path(place, "model")
        tiny.encoder().save(folder)
        (folder / "sbert_lab.json").unlink()
        (folder / "evil.py").write_text(f"import os\nos.mkdir({str(mark)!r})\nclass Evil: pass\n")
        config = json.loads((folder / "config.json").read_text())
        config["auto_map"] = {"AutoConfig": "evil.Evil", "AutoModel": "evil.Evil"}
        (folder / "config.json").write_text(json.dumps({**config, "model_type": "evil"}))
        try:
            tiny.SentenceEncoder.load(folder)
        except LabError:
            if mark.exists():
                raise Lost("the folder's own code was run") from None
            return
        raise Lost("a folder with its own code was opened")


def pickled_arrays(number: int) -> None:
    import numpy as np

    from sbert_lab.errors import LabError
    from sbert_lab.files import seal
    from sbert_lab.search import VectorIndex

    with tempfile.TemporaryDirectory() as place:
        folder = VectorIndex.build(np.eye(3), ["a", "b", "c"], kind="exact").save(Path(place, "x"))
        about = json.loads((folder / "index.json").read_text())
        about = {key: about[key] for key in about if "sha256" not in key}
        mark, content = Path(place, "exploded"), io.BytesIO()
        np.lib.format.write_array_header_1_0(
            content, {"descr": "|O", "fortran_order": False, "shape": (1,)}
        )
        (folder / "vectors.npy").write_bytes(content.getvalue() + explosive(mark))
        seal(folder, "index.json", about)
        try:
            VectorIndex.load(folder)
        except LabError:
            if mark.exists():
                raise Lost("the array was unpickled") from None
            return
        raise Lost("an array of pickled objects was opened")


def no_secret(number: int) -> int:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    names = done.stdout.decode().split("\0")[:-1]
    if not names:
        names = [str(p.relative_to(ROOT)) for p in sources()]
    kinds = (".ipynb", ".json", ".md", ".py", ".toml", ".txt", ".cfg", ".yml", ".csv", ".tsv")
    checked = [ROOT / name for name in names if name.endswith(kinds)]
    for path in checked:
        if path == Path(__file__).resolve() or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        for what, pattern in SECRETS.items():
            example = "tests" in path.parts and "address" in what
            if not example and (found := re.search(pattern, text)):
                raise Lost(f"{path.relative_to(ROOT)} holds {what}: {found[0][:12]}...")
    return len(checked)


def wheels(number: int) -> int:
    """A wheel with another digest is not used; of the right one only named files are read."""
    from dataclasses import replace

    from sbert_lab.data import wheels as module
    from sbert_lab.errors import DataError
    from sbert_lab.files import sha256

    for wheel in module.WHEELS.values():
        if not re.fullmatch(r"[0-9a-f]{64}", wheel.sha256):
            raise Lost(f"{wheel.name} is not pinned")
        with tempfile.TemporaryDirectory() as place:
            path, into = Path(place, "x.whl"), Path(place, "into")
            with zipfile.ZipFile(path, "w") as archive:
                wanted = [f"{wheel.folder}/{one}" for one in wheel.files]
                for name in (*wanted, "../escaped", "evil.py"):
                    archive.writestr(name, "content")
            try:
                module._unpack(wheel, path, into)
                raise Lost(f"{wheel.name}: a wheel with another digest was used")
            except DataError:
                pass
            module._unpack(replace(wheel, sha256=sha256(path)), path, into)
            found = {p.relative_to(into).as_posix() for p in into.rglob("*") if p.is_file()}
            if found != set(wheel.files) or Path(place, "escaped").exists():
                raise Lost(f"{wheel.name}: unpacked {found}")
        installed = {one.metadata["Name"] for one in metadata.distributions()}
        if wheel.name in installed:
            raise Lost(f"{wheel.name} is installed here")
    return len(module.WHEELS)


def pinned_revisions(number: int) -> int:
    from sbert_lab.data import CORPORA
    from sbert_lab.profiles import PROFILES

    found = [corpus.hub.revision for corpus in CORPORA.values() if corpus.hub]
    paper = PROFILES["paper"]
    found += [name.partition("@")[2] for name in (paper.backbone, paper.roberta)]
    if not all(re.fullmatch(r"[0-9a-f]{40}", one) for one in found):
        raise Lost(f"not all are full commits: {found}")
    return len(found)


def pip_check(number: int) -> None:
    done = subprocess.run([sys.executable, "-m", "pip", "check"], capture_output=True, text=True)
    if done.returncode:
        raise Lost(done.stdout.strip())


# ---- licences


def licences(number: int) -> int:
    """data/LICENCES.md lists every package that requirements.txt brings in."""
    if not LICENCES.is_file():
        raise Lost(f"there is no {LICENCES.name}: `make licences` writes it")
    from faults.licences import dependencies

    text = LICENCES.read_text(encoding="utf-8")
    missing = [name for name in dependencies() if f"| {name} |" not in text]
    if missing or re.search(r"\| unknown \|", text):
        raise Lost(f"not listed: {', '.join(missing) or 'unknown licences'}")
    return len(dependencies())
