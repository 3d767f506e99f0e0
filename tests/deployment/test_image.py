"""The Dockerfile, and whether the image contains enough to run and no more.

No engine is needed: a copy is made by the rules of .dockerignore, and the build's own last step,
the settings check and the web server's self-check run in that copy.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.deployment.conftest import ROOT, TOOLS

# Building the copy takes seconds, so it is built in one of the tests' processes.
pytestmark = pytest.mark.xdist_group("image")

DOCKERFILE = (ROOT / "Dockerfile").read_text()
NOT_IN_THE_IMAGE = {"benchmarks", "scripts", "tests"}


def allowed() -> list[str]:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in lines  # everything else stays outside
    return [line[1:] for line in lines if line.startswith("!")]


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `COPY . .` would copy, after the last RUN of the Dockerfile."""
    folder = tmp_path_factory.mktemp("image") / "app"
    folder.mkdir()
    for name in allowed():
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder)
    build = DOCKERFILE.rsplit("RUN ", 1)[1].split("\n\n")[0]
    done = run_in_image(["sh", "-c", build], folder, {})
    assert done.returncode == 0, done.stderr
    return folder


def run_in_image(command: list[Any], folder: Path, variables: dict[str, str]) -> Any:
    """Run a command as in the container: its packages, its folder, no other variables."""
    environment = {
        "PATH": f"{TOOLS}:{os.environ['PATH']}",
        "SOFTMARK_DATA": str(folder / ".data"),
        "SOFTMARK_HEARTBEAT": str(folder / "heartbeat"),
    }
    return subprocess.run(
        command,
        cwd=folder,
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_hadolint_finds_nothing() -> None:
    linted = subprocess.run(
        [TOOLS / "hadolint", "--no-color", ROOT / "Dockerfile"], capture_output=True, text=True
    )
    assert (linted.returncode, linted.stdout) == (0, "")


def test_it_is_built_on_the_python_that_the_project_names() -> None:
    python = (ROOT / ".python-version").read_text().strip()
    bases = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert set(bases) == {f"python:{python}-slim-trixie"}


def test_it_runs_as_nobody_in_particular() -> None:
    assert int(re.findall(r"^USER (\d+)$", DOCKERFILE, re.MULTILINE)[-1]) > 0


def test_it_installs_only_what_matches_a_hash() -> None:
    assert "uv pip install --python /venv --require-hashes" in DOCKERFILE


def test_every_package_that_runs_is_let_in() -> None:
    packages = {file.parent.name for file in ROOT.glob("*/__init__.py")}
    assert packages - NOT_IN_THE_IMAGE <= set(allowed())


def test_nothing_private_is_let_in() -> None:
    assert not {".env", ".git", ".data", ".demo"} & set(allowed())


@pytest.mark.slow
def test_the_build_collects_the_static_files(image: Path) -> None:
    collected = image / ".data" / "static"
    assert (collected / "staticfiles.json").exists()
    assert list(collected.glob("design/*.css.br"))


def test_files_of_earlier_releases_stay_and_half_a_file_does_not(
    tmp_path: Path, services: dict[str, Any]
) -> None:
    copy = services["migrate"]["command"][-1].rpartition("&& ")[2]
    released, shared = tmp_path / ".data/static", tmp_path / ".data/static-of-all-releases"
    shared.mkdir(parents=True)
    (shared / "page.new.js").write_text("ha")
    for release in ("old", "new"):
        shutil.rmtree(released, ignore_errors=True)
        released.mkdir()
        for name in (f"page.{release}.js", "staticfiles.json"):
            (released / name).write_text(release)
        assert run_in_image(["sh", "-c", copy], tmp_path, {}).returncode == 0
    assert {file.name: file.read_text() for file in shared.iterdir()} == {
        "page.old.js": "old",
        "page.new.js": "new",
        "staticfiles.json": "new",
    }


@pytest.mark.slow
def test_the_settings_pass_the_check_for_deployment(image: Path, services: dict[str, Any]) -> None:
    checked = run_in_image(
        ["python", "manage.py", "check", "--deploy", "--fail-level=WARNING"],
        image,
        services["web"]["environment"],
    )
    assert checked.returncode == 0, checked.stderr


@pytest.mark.slow
def test_the_web_server_accepts_its_configuration(image: Path, services: dict[str, Any]) -> None:
    command = re.findall(r"^CMD \[(.+)\]$", DOCKERFILE, re.MULTILINE)[-1]
    words = re.findall(r'"([^"]+)"', command)
    checked = run_in_image([*words, "--check-config"], image, services["web"]["environment"])
    assert checked.returncode == 0, checked.stderr
