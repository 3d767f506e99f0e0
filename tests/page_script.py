"""Requests to a running server as the script of a page makes them, outside a browser."""

import json
import time
from typing import Any, Self
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from django.test import Client

SCRIPT = {"Accept": "application/json"}


class Browser:
    """A client of a user who is logged in."""

    def __init__(self, session: str) -> None:
        token = "t" * 32
        cookies = f"sessionid={session}; csrftoken={token}"
        self.headers = SCRIPT | {"Cookie": cookies, "X-CSRFToken": token}

    @classmethod
    def of(cls, student: Any) -> Self:
        return cls(session_of(student))

    def ask(self, url: str, body: Any = None) -> tuple[int, str, float]:
        """The status of the answer, its text, and after how many seconds it came.

        Raises:
            OSError, HTTPException: nothing answers, or not to the end.
        """
        began = time.monotonic()
        data = None if body is None else json.dumps(body).encode()
        headers = self.headers | ({"Content-Type": "application/json"} if body else {})
        try:
            with urlopen(Request(url, data, headers), timeout=60) as answer:
                status, text = answer.status, answer.read().decode()
        except HTTPError as refused:
            status, text = refused.code, refused.read().decode()
        return status, text, time.monotonic() - began


def session_of(student: Any) -> str:
    """Return the key of a new session."""
    client = Client()
    client.force_login(student)
    return client.cookies["sessionid"].value
