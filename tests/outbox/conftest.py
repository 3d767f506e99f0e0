"""Kinds of letters, people to receive them, and a real mail server to take them."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest
from aiosmtpd.controller import Controller
from django.core.cache import cache

from outbox import kinds
from tests.world import make_user

from . import tested_kinds


@pytest.fixture(autouse=True)
def _kinds(monkeypatch, settings):
    """Replace the site's kinds by the tests' own."""
    monkeypatch.setattr(kinds, "_kinds", {})
    tested_kinds.register()
    settings.SITE_URL = "https://learn.example.org"
    engine, *others = settings.TEMPLATES
    settings.TEMPLATES = [engine | {"DIRS": [tested_kinds.TEMPLATES]}, *others]


@pytest.fixture(autouse=True)
def _nothing_is_away(db):
    cache.clear()


@pytest.fixture
def ada():
    return make_user("Ada")


class PostOffice:
    """A mail server that keeps what it takes, and refuses or sleeps as a test wants."""

    def __init__(self) -> None:
        self.taken: list[EmailMessage] = []
        self.refuse: dict[str, str] = {}
        self.seconds = 0.0
        self.lock = threading.Lock()

    async def handle_RCPT(self, server, session, envelope, address, options):  # noqa: N802
        if address in self.refuse:
            return self.refuse[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):  # noqa: N802
        time.sleep(self.seconds)
        letter = message_from_bytes(envelope.content, policy=policy.default)
        letter.raw = envelope.content
        with self.lock:
            self.taken.append(letter)
        return "250 OK"

    def start(self, port: int = 0) -> None:
        self.controller = Controller(self, hostname="127.0.0.1", port=port)
        self.controller.start()

    def stop(self) -> None:
        self.controller.stop()

    @property
    def port(self) -> int:
        return self.controller.server.sockets[0].getsockname()[1]

    @property
    def recipients(self) -> list[str]:
        """Return the receivers of the letters taken."""
        return [letter["To"] for letter in self.taken]


@contextmanager
def run_mail_server(settings) -> Iterator[PostOffice]:
    """Run a mail server as the site's own."""
    office = PostOffice()
    office.start(port=free_port())
    settings.MAILERS = mailers(office.port)
    try:
        yield office
    finally:
        office.stop()


@pytest.fixture
def mail_server(settings) -> Iterator[PostOffice]:
    with run_mail_server(settings) as office:
        yield office


def mailers(port: int):
    options = {"host": "127.0.0.1", "port": port, "timeout": 10}
    return {
        "default": {"BACKEND": "django.core.mail.backends.smtp.EmailBackend", "OPTIONS": options}
    }


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]
