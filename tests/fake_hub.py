"""A hub on loopback for the real huggingface_hub and datasets, with network accidents to order.

with FakeHub() as hub:
    hub.add("datasets", "owner/name", revision, {"README.md": b"...", "train.parquet": b"..."})
    hub.faults.append(Fault("train.parquet", cut=100, times=1))
    ...  # HF_ENDPOINT=hub.url
"""

import hashlib
import io
import json
import re
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

LARGE = (".parquet", ".safetensors", ".tar", ".gz")  # kept in git-lfs by the real hub


@dataclass
class Fault:
    """What happens to requests whose "METHOD path" matches `where`, `times` times (None: always).

    `status` with `headers` answers with an error, `delay` waits first, `cut` closes the connection
    after so many bytes, `flip` changes the last byte.
    """

    where: str
    status: int | None = None
    headers: dict = field(default_factory=dict)
    delay: float = 0
    cut: int | None = None
    flip: bool = False
    times: int | None = None

    def strikes(self, request: str) -> bool:
        if self.times == 0 or not re.search(self.where, request):
            return False
        self.times = None if self.times is None else self.times - 1
        return True


class FakeHub:
    """Repositories in memory behind the hub's addresses; `requests` lists what was asked."""

    def __init__(self) -> None:
        self.repositories: dict[tuple[str, str, str], dict[str, bytes]] = {}
        self.faults: list[Fault] = []
        self.requests: list[str] = []

    def __enter__(self) -> "FakeHub":
        handler = type("Handler", (_Handler,), {"hub": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def add(self, kind: str, name: str, revision: str, files: dict[str, bytes]) -> None:
        """Publish a repository; `kind` is "models" or "datasets"."""
        self.repositories[kind, name, revision] = files


class _Handler(BaseHTTPRequestHandler):
    hub: FakeHub

    def do_GET(self) -> None:
        self._answer()

    do_HEAD = do_POST = do_GET

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self) -> None:
        parts = urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        request = f"{self.command} {unquote(parts.path)}"
        self.hub.requests.append(request)
        fault = next((f for f in self.hub.faults if f.strikes(request)), Fault(""))
        time.sleep(fault.delay)
        if fault.status:
            return self._send(fault.status, b"<html>no answer of a hub</html>", fault.headers)
        pattern = r"/(?:api/)?(?:(models|datasets)/)?([^/]+/[^/]+)/(\w[\w-]*)/([0-9a-f]{40})/?(.*)"
        match = re.fullmatch(pattern, unquote(parts.path))
        kind, name, action, revision, path = match.groups() if match else ("", "", "", "", "")
        files = self.hub.repositories.get((kind or "models", name, revision))
        if files is None:
            return self._send(404, b"{}", {"X-Error-Code": "RepoNotFound"})
        if action == "resolve":
            return self._file(files, path, revision, fault)
        if action == "revision":
            siblings = [{"rfilename": p, **_described(p, files[p])} for p in files]
            answer = {"id": name, "sha": revision, "private": False, "siblings": siblings}
        elif action == "paths-info":
            answer = [e for e in _entries(files) if e["path"] in parse_qs(body)["paths"]]
        else:
            inside = [e for e in _entries(files) if e["path"].startswith(f"{path}/".lstrip("/"))]
            deep = "true" in parts.query.lower().partition("recursive=")[2][:4]
            depth = len(path.split("/")) if path else 0
            answer = [e for e in inside if deep or e["path"].count("/") == depth]
        return self._send(200, json.dumps(answer).encode(), fault=fault)

    def _file(self, files: dict[str, bytes], path: str, revision: str, fault: Fault) -> None:
        about = {"X-Repo-Commit": revision}
        if path not in files:
            return self._send(404, b"{}", {**about, "X-Error-Code": "EntryNotFound"})
        entry = _described(path, files[path])
        about |= {"ETag": f'"{entry.get("lfs", {}).get("sha256") or entry["blobId"]}"'}
        return self._send(200, files[path], about, fault=fault)

    def _send(
        self, status: int, content: bytes, headers: dict | None = None, fault: Fault | None = None
    ) -> None:
        fault = fault or Fault("")
        if fault.flip:
            content = content[:-1] + bytes([content[-1] ^ 1])
        start = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
        if start and status == 200:
            status, size = 206, len(content)
            content = content[int(start[1]) :]
            headers = {**(headers or {}), "Content-Range": f"bytes {start[1]}-{size - 1}/{size}"}
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": len(content)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content[: fault.cut])


def _described(path: str, content: bytes) -> dict:
    """Size and digests as the hub tells them: git's own, and sha256 for large files."""
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
    about = {"size": len(content), "blobId": blob, "oid": blob}
    if path.endswith(LARGE):
        digest = hashlib.sha256(content).hexdigest()
        about["lfs"] = {"sha256": digest, "oid": digest, "size": len(content), "pointerSize": 134}
    return about


def _entries(files: dict[str, bytes]) -> list[dict]:
    folders = {"/".join(p.split("/")[:n]) for p in files for n in range(1, p.count("/") + 1)}
    found = [{"type": "directory", "path": folder, "oid": "0" * 40} for folder in sorted(folders)]
    return found + [{"type": "file", "path": p, **_described(p, c)} for p, c in files.items()]


# ---- what to publish


def table_files(config: str | None, splits: dict[str, dict[str, list]]) -> dict[str, bytes]:
    """A data set of parquet files with the card that names them, as the hub's converter leaves it.

    `splits` maps a split to its columns.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    name = config or "default"
    card = ["---", "dataset_info:", f"  config_name: {name}", "  splits:"]
    for split, columns in splits.items():
        rows = len(next(iter(columns.values())))
        card += [f"  - name: {split}", f"    num_examples: {rows}", "    num_bytes: 1"]
    card += ["configs:", f"- config_name: {name}", "  data_files:"]
    files = {}
    for split, columns in splits.items():
        card += [f"  - split: {split}", f"    path: {name}/{split}-*"]
        written = io.BytesIO()
        pq.write_table(pa.table(columns), written)
        files[f"{name}/{split}-00000-of-00001.parquet"] = written.getvalue()
    return {"README.md": "\n".join([*card, "---", ""]).encode(), **files}


def tar_of(members: Iterable[tuple[str, bytes]]) -> bytes:
    import tarfile

    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return written.getvalue()
