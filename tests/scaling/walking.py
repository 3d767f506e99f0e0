"""A student's way through a quiz of one question, page by page, as a browser would."""

import json
from typing import Self

import httpx

from tests.processes import wait_until
from tests.sites import Site

PATIENCE = 60


def quiz_and_sessions(site: Site, count: int) -> tuple[str, list[str]]:
    """Return the slug of a new quiz, and sessions of new students for it."""
    command = f"from tests.faults.one_question import *; print_sessions({count})"
    found = json.loads(site.run(command))
    return found["slug"], found["sessions"]


class Walker:
    """A user with a browser: cookies, forms with their tokens, and followed redirects."""

    def __init__(self, url: str, session: str | None = None) -> None:
        self.client = httpx.Client(
            base_url=url,
            timeout=PATIENCE,
            follow_redirects=True,
            cookies={"sessionid": session} if session else {},
            headers={"Referer": url},
        )
        self.served: list[str] = []  # servers' names, if a proxy sends them
        self.client.event_hooks["response"].append(self._note)
        self.attempt = self.saves = 0

    def _note(self, answer: httpx.Response) -> None:
        if server := answer.headers.get("X-Served-By"):
            self.served.append(server)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    @property
    def page(self) -> str:
        return f"/attempts/{self.attempt}/"

    def read(self, path: str) -> httpx.Response:
        answer = self.client.get(path)
        assert answer.status_code == 200, answer.text
        return answer

    def post(self, form_on: str, to: str, **fields: str) -> httpx.Response:
        """Post a form of this page."""
        self.read(form_on)
        token = {"csrfmiddlewaretoken": self.client.cookies["csrftoken"]}
        answer = self.client.post(to, data=token | fields)
        assert answer.status_code == 200, answer.text
        return answer

    def log_in(self, email: str, password: str) -> None:
        self.post("/accounts/login/", "/accounts/login/", login=email, password=password)
        assert "sessionid" in self.client.cookies

    def start(self, slug: str) -> None:
        answer = self.post(f"/quizzes/{slug}/", f"/quizzes/{slug}/start/")
        self.attempt = int(answer.url.path.strip("/").split("/")[1])

    def save(self, choice: str) -> None:
        change = {
            "revision": self.saves,
            "token": f"change-{self.saves}",
            "fields": {"answer-choice": choice},
        }
        headers = {"X-CSRFToken": self.client.cookies["csrftoken"]}
        answer = self.client.post(f"{self.page}items/1/draft/", json=change, headers=headers)
        assert answer.status_code == 200, answer.text
        self.saves += 1

    def submit(self) -> None:
        self.post(f"{self.page}submit/", f"{self.page}submit/")

    def is_marked(self) -> bool:
        return self.read(f"{self.page}status/").json()["state"] == "graded"

    def wait_for_marks(self) -> None:
        wait_until(self.is_marked, PATIENCE, "the marks")

    def results(self) -> str:
        return self.read(f"{self.page}results/").text
