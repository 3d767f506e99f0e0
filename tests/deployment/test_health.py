"""Results of the containers' health checks."""

import importlib.util
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.deployment.conftest import ROOT

spec = importlib.util.spec_from_file_location("healthy", ROOT / "deploy/healthy.py")
healthy = importlib.util.module_from_spec(spec)
spec.loader.exec_module(healthy)


@pytest.fixture
def server() -> Iterator[HTTPServer]:
    """A server that answers /readyz with the status in `server.answer`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(self.server.answer if self.path == "/readyz" else 404)
            self.end_headers()
            self.wfile.write(b"database unreachable")

        def log_message(self, *_: object) -> None:
            """Log nothing among the tests' lines."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_web_server_that_answers_is_well(server: HTTPServer) -> None:
    server.answer = 200
    healthy.web(server.server_port)


def test_a_web_server_without_its_database_is_not(server: HTTPServer) -> None:
    server.answer = 503
    with pytest.raises(SystemExit, match="503: database unreachable"):
        healthy.web(server.server_port)


@pytest.fixture
def heartbeat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SOFTMARK_HEARTBEAT", str(tmp_path / "heartbeat"))
    return tmp_path / "heartbeat"


def test_a_fresh_heartbeat_is_well(heartbeat: Path) -> None:
    heartbeat.touch()
    healthy.heartbeat()


def test_no_heartbeat_and_an_old_one_are_not(heartbeat: Path) -> None:
    with pytest.raises(SystemExit, match="No heartbeat yet"):
        healthy.heartbeat()
    heartbeat.touch()
    os.utime(heartbeat, (0, 0))
    with pytest.raises(SystemExit, match="s old"):
        healthy.heartbeat()


def touched_by(*signals: str, file: Path) -> bool:
    """Return whether these Celery signals touch the file. Receivers stay in another process."""
    script = "from config import celery_app; from celery import signals\n"
    script += "".join(f"signals.{name}.send(sender=None)\n" for name in signals)
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=os.environ | {"SOFTMARK_DEBUG": "1", "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return file.exists()


def test_beat_shows_life_when_the_broker_takes_a_message(heartbeat: Path) -> None:
    assert touched_by("beat_init", "after_task_publish", file=heartbeat)


def test_what_a_task_publishes_is_no_sign_of_its_workers_life(heartbeat: Path) -> None:
    assert not touched_by("after_task_publish", file=heartbeat)
