"""Make the virtual environment that the Makefile's commands run in. Standard library only.

Does nothing if the environment is there and requirements.txt has not changed since. Old versions of
Python must still be able to read this file, so that they can be told that they are too old.
"""

import hashlib
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
STAMP = os.path.join(VENV, "requirements.sha256")
CPU_INDEX = "https://download.pytorch.org/whl/cpu"


def fail(message):
    sys.stderr.write("\n" + message + "\n\n")
    sys.exit(1)


def wanted_stamp():
    digest = hashlib.sha256()
    for name in ("requirements.txt", "pyproject.toml"):
        with open(os.path.join(ROOT, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def current_stamp():
    if not os.path.isfile(STAMP) or not os.path.isfile(venv_python()):
        return None
    with open(STAMP) as file:
        return file.read().strip()


def venv_python():
    folder, name = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    return os.path.join(VENV, folder, name)


def check_python():
    if sys.version_info < (3, 11):
        fail(
            "This is Python %d.%d; SBERT Lab needs 3.11 or newer.\n"
            "Install a newer one (python.org, or your system's packages) and call\n"
            "    make lab PYTHON=/path/to/python3.11" % sys.version_info[:2]
        )
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        fail(
            "Python's venv module is missing. On Debian or Ubuntu:\n"
            "    sudo apt install python%d.%d-venv\n"
            "Or use conda: conda env create -f environment.yml" % sys.version_info[:2]
        )


def has_nvidia_driver():
    return shutil.which("nvidia-smi") is not None or os.path.exists("/proc/driver/nvidia")


def pinned_torch():
    with open(os.path.join(ROOT, "requirements.txt")) as file:
        for line in file:
            if line.startswith("torch=="):
                return line.split()[0]
    return fail("requirements.txt does not pin torch")


def pip(*arguments, quiet=False):
    command = [venv_python(), "-m", "pip", "install", "--disable-pip-version-check"]
    sink = subprocess.DEVNULL if quiet else None
    return subprocess.call(command + list(arguments), cwd=ROOT, stderr=sink, stdout=sink) == 0


def install_torch():
    """The CPU build from PyTorch's own index where there is no GPU; quietly give up without it."""
    if has_nvidia_driver():
        print("NVIDIA driver found: the GPU build of torch will be downloaded (about 3 GB).")
        return
    print("No NVIDIA driver found: trying PyTorch's index of CPU wheels (about 200 MB) ...")
    torch = pinned_torch()
    options = ("--index-url", CPU_INDEX, "--timeout", "5", "--retries", "0", "--no-deps")
    if not pip("--quiet", *options, torch, quiet=True):
        print("That index is out of reach: the plain build will be used (it can be 1 GB and more).")


def main():
    if current_stamp() == wanted_stamp():
        return
    check_python()
    print("Setting up .venv: about 600 MB to download besides torch, 2 GB on disk, a few minutes.")
    if not os.path.isfile(venv_python()):
        code = subprocess.call([sys.executable, "-m", "venv", VENV])
        if code != 0:
            fail("python -m venv failed: delete .venv and try again, or use conda (README).")
    install_torch()
    if not pip("--quiet", "-r", "requirements.txt"):
        fail(
            "Installing requirements.txt failed: see pip's message above.\n"
            "Without internet, bring the wheels along: pip install --no-index --find-links FOLDER "
            "-r requirements.txt"
        )
    with open(STAMP, "w") as file:
        file.write(wanted_stamp() + "\n")
    print("The environment is ready.")


if __name__ == "__main__":
    main()
