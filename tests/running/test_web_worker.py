"""Slow clients and large bodies cost the others nothing, even without a proxy in front."""

import contextlib
import hashlib
import http.client
import re
import selectors
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.web_worker import MAX_AWAITED_BYTES, MAX_HEAD_BYTES, has_arrived
from scripts.bootstrap import ROOT
from scripts.processes import Group
from scripts.servers import free_port
from tests.conftest import environment, listens
from tests.processes import Process

# Twenty slow clients do to two threads what a thousand do to a site.
SLOW = 20
APP = """
import hashlib
import time
from itertools import count

# One after the other, so that of two that wait one is seen to be first.
asked = count(1)

def application(environ, start_response):
    path = environ["PATH_INFO"]
    if path == "/slow":
        time.sleep(0.3 * next(asked))
    if path == "/unread":
        body = b""
    else:
        body = environ["wsgi.input"].read()
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"x" * 300_000 if path == "/long" else hashlib.sha256(body).hexdigest().encode()]
"""
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@contextlib.contextmanager
def server(group: Group, folder: Path, *options: str) -> Iterator[int]:
    """The port of a web server as it is deployed, apart from its options and application."""
    port = free_port()
    (folder / "stub.py").write_text(APP)
    command = [sys.executable, "-m", "gunicorn", "--config", ROOT / "deploy/gunicorn.conf.py"]
    command += ["--workers=1", "--threads=2", f"--bind=127.0.0.1:{port}", f"--pythonpath={folder}"]
    command += [*options, "stub:application"]
    with Process(command, group, folder / "log", environment(), lambda: listens(port)) as process:
        yield port
        process.stop()


@pytest.fixture(scope="module")
def port(group: Group, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with server(group, tmp_path_factory.mktemp("web")) as port:
        yield port


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), 5)


def ask(port: int, path: str = "/", body: bytes = b"") -> bytes:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    with contextlib.closing(client):
        client.request("POST", path, body)
        return client.getresponse().read()


@contextlib.contextmanager
def slow_clients(port: int, beginning: bytes) -> Iterator[list[socket.socket]]:
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connect(port)) for _ in range(SLOW)]
        for client in clients:
            client.sendall(beginning)
        time.sleep(0.3)
        yield clients


@pytest.mark.parametrize(
    "beginning",
    [
        b"",
        b"POST / HT",
        b"POST / HTTP/1.1\r\nHost: a\r\nX-A: ",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\na",
        b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHo",
        b"GET /long HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET /long HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        b"POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n"
        + b"a" * MAX_AWAITED_BYTES,
    ],
    ids=["nothing", "a word", "heads", "bodies", "second", "answers", "goodbyes", "unread"],
)
def test_slow_clients_cost_the_others_nothing(port: int, beginning: bytes) -> None:
    with slow_clients(port, beginning):
        began = time.monotonic()
        assert ask(port, "/", b"") == EMPTY.encode()
        assert time.monotonic() - began < 3


def test_who_is_slow_is_answered_in_the_end(port: int) -> None:
    with connect(port) as client:
        for byte in b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc":
            client.sendall(bytes([byte]))
            time.sleep(0.01)
        assert client.recv(100).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    ("size", "said"),
    [(1000, "keep-alive"), (MAX_AWAITED_BYTES - 1000, "keep-alive"), (MAX_AWAITED_BYTES, "close")],
)
def test_a_connection_that_ends_after_an_answer_is_said_to(port: int, size: int, said: str) -> None:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    with contextlib.closing(client):
        for _again in range(3):
            client.request("POST", "/unread", b"a" * size)
            answer = client.getresponse()
            answer.read()
            assert answer.headers["Connection"] == said


def test_the_proxy_closes_an_idle_connection_before_the_web_server_does() -> None:
    """Otherwise the server closes connections on which a request is under way."""
    proxy = re.search(r"\n\t*keepalive (\d+)s\n", (ROOT / "deploy/Caddyfile").read_text())
    web = re.search(r"\nkeepalive = (\d+)\n", (ROOT / "deploy/gunicorn.conf.py").read_text())
    assert proxy
    assert web
    assert int(proxy[1]) <= int(web[1]) / 2


@pytest.mark.slow
@pytest.mark.parametrize("asks", [True, False], ids=["idle", "silent"])
def test_who_has_done_nothing_for_longest_makes_room(
    group: Group, tmp_path: Path, asks: bool
) -> None:
    with server(group, tmp_path, "--worker-connections=6") as port, contextlib.ExitStack() as stack:
        for _ in range(12):
            client = stack.enter_context(connect(port))
            if asks:
                client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                assert client.recv(1000).startswith(b"HTTP/1.1 200")
        assert ask(port) == EMPTY.encode()


def test_requests_that_come_together_are_answered_one_by_one(port: int) -> None:
    one = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    with connect(port) as client:
        client.sendall(one * 3 + one[:9])
        time.sleep(0.3)
        client.sendall(one[9:])
        got = b""
        while got.count(EMPTY.encode()) < 4:
            got += client.recv(65536)
    assert got.count(b"HTTP/1.1 200") == 4


@pytest.mark.parametrize("size", [1, 70_000, MAX_AWAITED_BYTES, 5 * MAX_AWAITED_BYTES])
def test_a_body_arrives_whole(port: int, size: int) -> None:
    body = bytes(range(256)) * (size // 256) + b"a" * (size % 256)
    assert ask(port, "/", body) == hashlib.sha256(body).hexdigest().encode()


def test_a_long_answer_arrives_whole_at_a_client_that_reads_late(port: int) -> None:
    with connect(port) as client:
        client.sendall(b"GET /long HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        time.sleep(1)
        got = b""
        while part := client.recv(65536):
            got += part
    assert b"x" * 300_000 in got


@given(
    head=st.binary(max_size=50).filter(lambda head: b"\r\n\r\n" not in head + b"\r\n"),
    body=st.binary(max_size=50),
    name=st.sampled_from([b"Content-Length", b"content-length", b"CONTENT-LENGTH"]),
)
def test_a_request_is_here_with_its_last_byte(head: bytes, body: bytes, name: bytes) -> None:
    request = b"GET /" + head.replace(b"\r", b"").replace(b"\n", b"") + b"\r\n"
    request += name + b": %d\r\n\r\n" % len(body) + body
    assert has_arrived(request)
    assert not has_arrived(request[:-1])


def test_a_head_without_end_is_not_waited_for_for_ever() -> None:
    assert not has_arrived(b"a" * MAX_HEAD_BYTES)
    assert has_arrived(b"a" * (MAX_HEAD_BYTES + 1))


def test_of_a_long_body_the_beginning_is_enough() -> None:
    head = b"POST / HTTP/1.1\r\nContent-Length: 9000000\r\n\r\n"
    assert not has_arrived(head + b"a" * 1000)
    assert has_arrived(head + b"a" * MAX_AWAITED_BYTES)


def asked(port: int, request: bytes, path: bytes) -> socket.socket:
    client = connect(port)
    client.sendall(request + b" " + path + b" HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
    time.sleep(0.05)
    return client


def test_pages_leave_a_thread_to_what_somebody_does(port: int) -> None:
    with contextlib.ExitStack() as stack:
        pages = [stack.enter_context(asked(port, b"GET", b"/slow")) for _ in range(3)]
        deed = stack.enter_context(asked(port, b"POST", b"/"))
        with selectors.DefaultSelector() as looking:
            for client in [*pages, deed]:
                looking.register(client, selectors.EVENT_READ)
            first = [key.fileobj for key, _events in looking.select(10)]
    assert first == [deed]


@pytest.mark.slow
def test_what_somebody_does_comes_before_pages(port: int) -> None:
    """The order is that of requests that wait for a thread."""
    busy = [asked(port, b"POST", b"/slow") for _ in range(2)]
    page = asked(port, b"GET", b"/slow")
    deed = asked(port, b"POST", b"/slow")
    with contextlib.ExitStack() as stack:
        for client in [*busy, page, deed]:
            stack.enter_context(client)
        arrived = {}
        with selectors.DefaultSelector() as looking:
            looking.register(page, selectors.EVENT_READ, "page")
            looking.register(deed, selectors.EVENT_READ, "deed")
            while len(arrived) < 2:
                for key, _events in looking.select(10):
                    arrived.setdefault(key.data, time.monotonic())
                    looking.unregister(key.fileobj)
    assert arrived["deed"] <= arrived["page"]
