"""The real Compose, from its wheel; it reads and checks files without an engine."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
TOOLS = Path(sys.executable).parent
REQUIRED = {
    "SOFTMARK_ALLOWED_HOSTS": "learn.example.org",
    "SOFTMARK_EMAIL_URL": "smtp://softmark:mail-password@mail.example.org:587",
    "SOFTMARK_SECRET_KEY": "2d7c2a5bb9e24f6f8d1b5a3c9e7f0d4c6b8a1e3f5d7c9b0a2e4f6d8c1b3a5e7f",
    "POSTGRES_PASSWORD": "database-password",
    "REDIS_PASSWORD": "broker-password",
}

type Compose = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def compose(tmp_path: Path) -> Compose:
    """Return a function that runs `docker compose` with these variables and files.

    A developer's own .env is not read.
    """

    def run(*arguments: str, variables: dict[str, str], files: list[Path] | None = None) -> Any:
        given = [f"--file={file}" for file in [ROOT / "docker-compose.yml", *(files or [])]]
        return subprocess.run(
            [TOOLS / "docker-compose", f"--env-file={os.devnull}", *given, *arguments],
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)} | variables,
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run


@pytest.fixture
def services(compose: Compose) -> dict[str, Any]:
    """Every service as Compose understands it, all profiles included."""
    shown = compose("--profile=*", "config", variables=REQUIRED)
    assert shown.returncode == 0, shown.stderr
    return yaml.safe_load(shown.stdout)["services"]
