"""Students who save one change after the other, during failures of the servers."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException

import psycopg

from tests.page_script import Browser
from tests.processes import children_of, wait_until
from tests.sites import Site

STUDENTS = 6
CHOICES = "abcd"


class Student(threading.Thread):
    """A thread that saves one change after the other, and repeats each until it is acknowledged."""

    def __init__(self, site: Site, session: str, attempt: int) -> None:
        super().__init__(daemon=True)
        self.browser, self.attempt = Browser(session), attempt
        self.page = f"{site.url}/attempts/{attempt}/"
        self.acknowledged = 0
        self.lost = False
        self.done = threading.Event()

    def run(self) -> None:
        while not self.done.is_set():
            with suppress(OSError, HTTPException):
                self.save()

    def save(self) -> None:
        number = self.acknowledged
        save = {
            "revision": number,
            "token": f"change-{number}",
            "fields": {"answer-choice": CHOICES[number % 4]},
        }
        status, _, _ = self.browser.ask(f"{self.page}items/1/draft/", save)
        if status == 200:
            self.acknowledged += 1
        # An acknowledged change that this one builds on is missing.
        self.lost |= status == 409
        self.done.wait(0.05)

    def stop(self) -> None:
        self.done.set()
        self.join()


@contextmanager
def saving(site: Site) -> Iterator[list[Student]]:
    """Run students who save, each at an open attempt of their own."""
    command = f"from tests.faults.one_question import *; print_students({STUDENTS})"
    printed = site.run(command)
    students = [Student(site, **found) for found in json.loads(printed)]
    for student in students:
        student.start()
    try:
        yield students
    finally:
        for student in students:
            student.stop()


def all_save(students: list[Student], changes: int = 5) -> None:
    """Wait until each student has had `changes` more changes acknowledged."""
    goals = [(student, student.acknowledged + changes) for student in students]
    for student, goal in goals:
        wait_until(lambda: student.acknowledged >= goal or student.lost, 60, "a save")  # noqa: B023
        assert not student.lost


def everything_acknowledged_is_stored(url: str, students: list[Student]) -> None:
    for student in students:
        student.stop()
        assert not student.lost
    with psycopg.connect(url) as database:
        for student in students:
            stored = database.execute(
                "SELECT revision, draft FROM quizzes_item WHERE attempt_id = %s", [student.attempt]
            ).fetchone()
            assert stored is not None
            revision, draft = stored
            # The last one may have been stored without an acknowledgement.
            assert revision in (student.acknowledged, student.acknowledged + 1)
            assert draft == {"answer-choice": CHOICES[(revision - 1) % 4]}


def kill_with_children(pid: int) -> None:
    for each in [pid, *children_of(pid)]:
        with suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)
