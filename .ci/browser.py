"""`make test-browser`: find Chromium, get what drives it, run tests/test_browser.py.

Nothing is installed on your system: without Chromium the tests are skipped and the reason is
printed. Only where SBERT_LAB_INSTALL_BROWSER=1 (CI) may apt-get bring it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DRIVER = "playwright==1.65.2"  # from PyPI, with its own Node; its browser download is not used


def find_chromium() -> str:
    """Where Chromium is; empty if there is none."""
    return os.environ.get("CHROMIUM", "") or next(filter(None, map(shutil.which, NAMES)), "")


def install_chromium() -> str:
    """Try apt-get; the reason if that is not possible."""
    if os.environ.get("SBERT_LAB_INSTALL_BROWSER") != "1":
        return "no Chromium here: install it, or name one with CHROMIUM=/path/to/chromium"
    if not shutil.which("apt-get") or os.geteuid() != 0:
        return "no Chromium here, and it cannot be installed: that needs apt-get and root"
    commands = (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "chromium"])
    for command in commands:
        done = subprocess.run(["apt-get", *command], capture_output=True, text=True, timeout=300)
        if done.returncode:
            return f"apt-get {command[0]} failed: {(done.stderr.strip() or '?').splitlines()[-1]}"
    return ""


def install_driver() -> str:
    """Put the driver into the environment that runs this; the reason if that fails."""
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", DRIVER]
    done = subprocess.run(pip, capture_output=True, text=True)
    return "" if done.returncode == 0 else f"pip could not install {DRIVER}"


def prepare() -> str:
    """Empty if the tests can run, otherwise why they cannot."""
    try:
        return ("" if find_chromium() else install_chromium()) or install_driver()
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)


def main() -> int:
    if reason := prepare():
        print(f"browser tests skipped: {reason}")
        return 0
    if subprocess.call(["make", "-s", "site"], cwd=ROOT):
        return 1
    command = [sys.executable, "-m", "pytest", "-q", "-m", "browser", "tests/test_browser.py"]
    return subprocess.call(command, cwd=ROOT, env=os.environ | {"CHROMIUM": find_chromium()})


if __name__ == "__main__":
    sys.exit(main())
