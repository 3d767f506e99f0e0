"""The private environment in .venv, with exactly the locked packages.

`python -m scripts.bootstrap requirements-dev.txt` makes it from the command line.
"""

import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scripts.console import Problem, report_problems, step

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
RUN, DEVELOP = "requirements.txt", "requirements-dev.txt"

NO_NETWORK = re.compile(
    r"dns|resol|connect|network|timed? ?out|unreachable|no route|no matching distribution", re.I
)

Popen = Callable[..., subprocess.Popen[Any]]


def ensure(requirements: str, popen: Popen = subprocess.Popen) -> None:
    """Install the packages of a requirements file into .venv, unless they are there already.

    No package is removed: those that a developer installed stay when the demo is started.
    """
    if _installed(requirements) or (requirements == RUN and _installed(DEVELOP)):
        return
    if not _runs():
        with step("Making a private Python environment in .venv"):
            # Without pip, which takes three seconds: uv installs the packages.
            venv.create(VENV, clear=True, with_pip=False, symlinks=True)
    uv = shutil.which("uv") or private_uv(popen)
    with step("Installing packages"):
        install(
            [uv, "pip", "install", "--quiet", "--require-hashes", "--python", PYTHON]
            + ["--requirements", ROOT / requirements],
            popen,
        )
    shutil.copyfile(ROOT / requirements, _stamp(requirements))


def _stamp(requirements: str) -> Path:
    return VENV / f"installed-{requirements}"


def _installed(requirements: str) -> bool:
    stamp = _stamp(requirements)
    locked = (ROOT / requirements).read_bytes()
    return stamp.exists() and stamp.read_bytes() == locked and _runs()


def _runs() -> bool:
    """Return whether .venv has a Python of our version; the one it was made with may be gone."""
    if not PYTHON.exists():
        return False
    if Path(sys.executable) == PYTHON:
        return True
    version = "{}.{}".format(*sys.version_info[:2])
    test = f"import sys; sys.exit('%d.%d' % sys.version_info[:2] != '{version}')"
    return subprocess.run([PYTHON, "-c", test], capture_output=True).returncode == 0


def private_uv(popen: Popen = subprocess.Popen) -> Path:
    """Install uv into .venv, with the pip of the Python that .venv was made with."""
    uv = VENV / "bin" / "uv"
    pip = _pip()
    # Without uv, only pip is configured with the index of packages.
    index = subprocess.run([*pip, "config", "get", "global.index-url"], capture_output=True)
    if url := os.environ.get("PIP_INDEX_URL") or index.stdout.decode().strip():
        os.environ.setdefault("UV_DEFAULT_INDEX", url)
    if not uv.exists():
        with step("Installing uv, the package installer"):
            install([*pip, "--python", PYTHON, "install", "--quiet", "--retries=2", "uv"], popen)
    return uv


def _pip() -> list[str]:
    # Ours may be the Python in .venv, which has no pip.
    python = getattr(sys, "_base_executable", sys.executable)
    pip = [python, "-m", "pip"]
    if subprocess.run([*pip, "--version"], capture_output=True).returncode != 0:
        version = "{}.{}".format(*sys.version_info[:2])
        raise Problem(
            f"{python} has no pip. Install pip (Debian, Ubuntu: sudo apt install "
            f"python3-pip python{version}-venv) or uv, then run the command again."
        )
    return pip


def install(command: list[Any], popen: Popen = subprocess.Popen) -> None:
    process = popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ
        | {
            "UV_PYTHON_DOWNLOADS": "never",
            "UV_HTTP_RETRIES": "2",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "VIRTUAL_ENV": str(VENV),
        },
    )
    output, _ = process.communicate()
    if process.returncode == 0:
        return
    advice = (
        "Is this machine connected to the network,\nand can it reach a package index? "
        "Then run the command again; packages already fetched are kept."
        if NO_NETWORK.search(output)
        else "The installer said:"
    )
    tail = "\n".join(f"  | {line}" for line in output.rstrip().splitlines()[-12:])
    raise Problem(f"The packages couldn't be installed. {advice}\n{tail}")


if __name__ == "__main__":
    with report_problems():
        ensure(sys.argv[1])
