"""Setting up on a machine that lacks something prints a sentence that says what to do."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.bootstrap import ROOT


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The part of a fresh clone that setting up reads."""
    folder = tmp_path / "softmark"
    shutil.copytree(ROOT / "scripts", folder / "scripts")
    for name in ("Makefile", ".python-version", "requirements.txt", "requirements-dev.txt"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def run(folder: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a newcomer whose machine has none of our settings, and let it fail."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder.parent)} | environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize("goal", ["demo", "test", "lint"])
def test_a_missing_python_is_named(clone: Path, goal: str) -> None:
    (clone / ".python-version").write_text("9.9\n")
    done = run(clone, "make", goal)
    assert "Softmark needs Python 9.9, and there's none" in done.stderr
    assert "apt install python9.9" in done.stderr
    assert "pyenv install 9.9" in done.stderr


def test_a_missing_network_is_named(clone: Path) -> None:
    nowhere = "https://packages.invalid/simple"
    done = run(
        clone,
        *(sys.executable, "-m", "scripts.bootstrap", "requirements.txt"),
        UV_DEFAULT_INDEX=nowhere,
        PIP_INDEX_URL=nowhere,
        PIP_CONFIG_FILE=os.devnull,
    )
    assert "Is this machine connected to the network" in done.stderr


def test_half_a_deployed_form_is_refused() -> None:
    done = run(
        ROOT,
        *(sys.executable, "-m", "scripts.test"),
        SERVICE_DATABASE_URL="postgresql://postgres@127.0.0.1/postgres",
    )
    assert "Set both SERVICE_DATABASE_URL and SERVICE_REDIS_URL" in done.stderr
