"""`make lab` really serves its start page."""

import os
import re
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.slow
@pytest.mark.usefixtures("loopback")
def test_make_lab_answers_200_for_its_start_page(tmp_path):
    if not (ROOT / ".venv" / "requirements.sha256").is_file():
        pytest.skip("the environment was not made by make")
    port = free_port()
    options = (
        f"--no-browser --allow-root --ip=127.0.0.1 --port={port} "
        "--ServerApp.port_retries=0 --IdentityProvider.token=test"
    )
    folders = {"JUPYTER_CONFIG_DIR": "c", "JUPYTER_DATA_DIR": "d", "JUPYTER_RUNTIME_DIR": "r"}
    variables = {**os.environ, **{k: str(tmp_path / v) for k, v in folders.items()}}
    log = open(tmp_path / "log", "w+")  # noqa: SIM115
    server = subprocess.Popen(
        ["make", "lab", f"LAB_ARGS={options}"],
        cwd=ROOT,
        env=variables,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        answer = None
        for _ in range(240):
            assert server.poll() is None, (tmp_path / "log").read_text()
            try:
                address = f"http://127.0.0.1:{port}/lab?token=test"
                answer = urllib.request.urlopen(address, timeout=5)
                break
            except (urllib.error.URLError, OSError):
                time.sleep(0.5)
        assert answer is not None and answer.status == 200, (tmp_path / "log").read_text()
        assert re.search("jupyter", answer.read().decode(), re.IGNORECASE)
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(30)
        log.close()
