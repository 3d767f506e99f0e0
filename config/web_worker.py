"""Web processes whose threads take requests that are here, not ones that are still coming in.

gunicorn gives a thread to a connection as soon as a byte of it has come, and as many slow clients
as there are threads stop the site. Here the event loop, which waits for many at once, takes a
request in; only then a thread is asked. A proxy that does so too (deploy/Caddyfile) loses nothing.

And because it then knows what is asked, it lets nothing that somebody does, a save above all, wait
behind pages: in an exam all ask for those at once. In one run of `make load` with 300 students, of
a hundred saves 99 took at most 0.5 s and of a hundred submits 95 at most 0.4 s; with gunicorn's own
gthread, of 3 or of 8 threads, it was 2.3 s and 4.2 s.
"""

import re
import socket
import struct
import sys
import time
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from selectors import EVENT_READ
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

# The end of a request has to come within this time of its beginning.
SECONDS_FOR_A_REQUEST = 30
# Of one that is longer than this only the beginning is awaited: config/body_limit.py answers
# without reading the rest, or an author is bringing images.
MOST_BYTES = 1024 * 1024
MOST_BYTES_OF_HEAD = 32 * 1024
# An answer that fits leaves its thread at once, however slowly it is fetched.
BYTES_SENT_AHEAD = 512 * 1024
# What a thread waits for the next byte of a long body or to be rid of the next of a long answer.
SECONDS_FOR_A_BYTE = 10
SECONDS_TO_SAY_GOODBYE = 2

# How long a thread computes while another waits to go on. A save asks the database some times, and
# each time waits for a page that is being made: Python's five milliseconds would add up.
SECONDS_AT_A_STRETCH = 0.001

END_OF_HEAD = b"\r\n\r\n"
LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,15})[ \t]*\r\n", re.IGNORECASE)


def is_here(taken: bytes | bytearray) -> bool:
    """Whether nothing is gained by waiting for more of a request.

    What is malformed is here too: gunicorn's parser refuses it.
    """
    head = taken.find(END_OF_HEAD)
    if head < 0:
        return len(taken) > MOST_BYTES_OF_HEAD
    length = LENGTH.search(taken, 0, head + len(END_OF_HEAD))
    body = int(length[1]) if length else 0
    return len(taken) >= min(head + len(END_OF_HEAD) + body, MOST_BYTES)


class PatientWorker(ThreadWorker):  # type: ignore[misc]
    def init_process(self) -> None:
        sys.setswitchinterval(SECONDS_AT_A_STRETCH)
        self.deeds: deque[TConn] = deque()
        self.looks: deque[TConn] = deque()
        self.busy = self.looking = 0
        super().init_process()

    def enqueue_req(self, conn: TConn) -> None:
        """Wait for a request, on a new connection or one that was used before."""
        conn.taken = bytearray(conn.parser.unreader.take_buffered() if conn.parser else b"")
        if conn.taken and is_here(conn.taken):
            self._hand_over(conn)
        else:
            self._watch(conn, SECONDS_FOR_A_REQUEST)

    def on_pending_socket_readable(self, conn: TConn, client: socket.socket) -> None:
        try:
            received = client.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            received = b""
        if not received:
            self._drop(conn)
        elif conn.taken is not None:
            conn.taken += received
            if is_here(conn.taken):
                self._unwatch(conn)
                self._hand_over(conn)

    def finish_request(self, conn: TConn, fs: Future[Any]) -> None:
        self.busy -= 1
        self.looking -= conn.is_look
        self._employ()
        if not fs.cancelled() and fs.exception() is None and not fs.result():
            self._say_goodbye(conn)
        else:
            super().finish_request(conn, fs)

    def murder_pending(self) -> None:
        now = time.monotonic()
        for conn in [conn for conn in self.pending_conns if conn.timeout <= now]:
            self._drop(conn)
        if self.nr_conns >= self.worker_connections:
            # Whoever has been idle for longest makes room, or has been coming for longest: not the
            # one who has just come.
            if self.keepalived_conns:
                self.keepalived_conns[0].timeout = now
                self.murder_keepalived()
            elif len(self.pending_conns) > 1:
                self._drop(self.pending_conns[0])

    def handle_request(self, req: Any, conn: TConn) -> bool:
        """Say with an answer whether the connection ends: the rest of a body is not waited for."""
        is_chunked = any(name == "TRANSFER-ENCODING" for name, _value in req.headers)
        if is_chunked or len(conn.taken) >= MOST_BYTES:
            req.force_close()
        return bool(super().handle_request(req, conn))

    def _keepalive_after(self, conn: TConn, keepalive: bool) -> bool:
        """Throw away what nobody read of a body, all of which is here, however much that is."""
        return keepalive and conn.parser.finish_body()

    def _hand_over(self, conn: TConn) -> None:
        conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BYTES_SENT_AHEAD)
        wait = struct.pack("ll", SECONDS_FOR_A_BYTE, 0)
        conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, wait)
        conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, wait)
        conn.init()
        conn.parser.unreader.unread(bytes(conn.taken))
        conn.data_ready = True
        conn.is_look = not conn.taken.startswith(b"POST")
        (self.looks if conn.is_look else self.deeds).append(conn)
        self._employ()

    def _employ(self) -> None:
        """Give free threads something to do."""
        while self.busy < self.cfg.threads and (waiting := self._first()):
            conn = waiting.popleft()
            self.busy += 1
            self.looking += conn.is_look
            super().enqueue_req(conn)

    def _first(self) -> deque[TConn] | None:
        """Where the next request waits. One thread is kept free for what somebody does."""
        if self.deeds:
            return self.deeds
        return self.looks if self.looking < max(1, self.cfg.threads - 1) else None

    def _say_goodbye(self, conn: TConn) -> None:
        """Close after the client, or soon: closing first would cut off what it has not read."""
        conn.taken = None
        try:
            conn.sock.setblocking(False)
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self.nr_conns -= 1
            conn.close()
        else:
            self._watch(conn, SECONDS_TO_SAY_GOODBYE)

    def _watch(self, conn: TConn, seconds: float) -> None:
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + seconds
        self.pending_conns.append(conn)
        readable = partial(self.on_pending_socket_readable, conn)
        self.poller.register(conn.sock, EVENT_READ, readable)

    def _unwatch(self, conn: TConn) -> None:
        self.pending_conns.remove(conn)
        with suppress(OSError, KeyError, ValueError):
            self.poller.unregister(conn.sock)

    def _drop(self, conn: TConn) -> None:
        self._unwatch(conn)
        self.nr_conns -= 1
        conn.close()
