"""deploy/Caddyfile in a real Caddy: slow clients and large bodies end there."""

import contextlib
import http.client
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.servers import free_port
from tests.deployment.caddy import proxy_of, running
from tests.deployment.conftest import ROOT, TOOLS

APP = """
def application(environ, start_response):
    size = len(environ["wsgi.input"].read())
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [str(size).encode()]
"""


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A gunicorn with two threads, which two slow clients would block."""
    folder, port = tmp_path_factory.mktemp("web"), free_port()
    (folder / "stub.py").write_text(APP)
    command = [sys.executable, "-m", "gunicorn", "--threads=2", f"--bind=127.0.0.1:{port}"]
    with running([*command, "stub:application"], port, cwd=folder) as port:
        yield port


@pytest.fixture(scope="module")
def proxy(web: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with proxy_of(tmp_path_factory.mktemp("proxy"), f"to 127.0.0.1:{web}") as port:
        yield port


def answer_at(port: int, path: str, body: bytes = b"") -> tuple[int, bytes]:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    with contextlib.closing(client):
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            client.request("POST", path, body)  # it may be refused before it is sent whole
        got = client.getresponse()
        return got.status, got.read()


@contextlib.contextmanager
def slow_clients(port: int, beginning: bytes) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for _ in range(10):
            client = stack.enter_context(socket.create_connection(("127.0.0.1", port), 5))
            client.sendall(beginning)
        time.sleep(0.3)
        yield


@pytest.mark.parametrize(
    "beginning",
    [
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ",
        b"POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 900000\r\n\r\na",
    ],
    ids=["headers", "body"],
)
def test_ten_slow_clients_stop_nobody(proxy: int, beginning: bytes) -> None:
    here = f"127.0.0.1:{proxy}".encode()
    with slow_clients(proxy, beginning.replace(b"{host}", here)):
        assert answer_at(proxy, "/", b"abc") == (200, b"3")


@pytest.mark.slow
def test_without_the_proxy_two_slow_clients_stop_everybody(web: int) -> None:
    """The control for the test above."""
    beginning = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\na"
    with slow_clients(web, beginning), pytest.raises(TimeoutError):
        answer_at(web, "/", b"abc")


@pytest.mark.parametrize(
    ("path", "size", "status"),
    [
        ("/", 900_000, 200),
        ("/", 1_200_000, 413),
        ("/accounts/login/", 50_000_000, 413),
        ("/admin/lessons/", 2_000_000, 200),
        ("/admin/lessons/", 45_000_000, 413),
    ],
)
def test_a_body_has_the_size_that_its_page_takes(
    proxy: int, path: str, size: int, status: int
) -> None:
    assert answer_at(proxy, path, b"a" * size)[0] == status


def test_the_file_is_in_its_own_format() -> None:
    command = [TOOLS / "caddy", "fmt", "--diff", ROOT / "deploy/Caddyfile"]
    shown = subprocess.run(command, capture_output=True, text=True)
    assert not [line for line in shown.stdout.splitlines() if line[:1] in "+-"]


def test_slow_clients_are_not_waited_for() -> None:
    shipped = Path(ROOT / "deploy/Caddyfile").read_text()
    assert "read_header 10s" in shipped
    assert "read_body 60s" in shipped
