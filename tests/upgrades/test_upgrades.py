"""Upgrading a site of an earlier release while students are at work breaks nothing.

`sites/` has a database of each release, made by the release itself (`fill_old_site.py`).
"""

import json
import lzma
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from django.conf import settings

from scripts.bootstrap import ROOT
from tests.conftest import DEPLOYED, environment

pytestmark = [pytest.mark.slow, pytest.mark.service]
SITES = Path(__file__).with_name("sites")
RELEASES = sorted({file.name.split(".")[0] for file in SITES.iterdir()})
MARKS = """
    SELECT attempt.id, attempt.score, answer.item_id, grade.revision, grade.points, grade.verdict
    FROM quizzes_grade grade JOIN quizzes_answer answer ON answer.id = grade.answer_id
    JOIN quizzes_submission submission ON submission.id = answer.submission_id
    JOIN quizzes_attempt attempt ON attempt.id = submission.attempt_id
    ORDER BY grade.id
"""


@pytest.fixture(params=RELEASES)
def old_site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a database as that release left it."""
    if not DEPLOYED:
        file = tmp_path / "site.sqlite3"
        file.write_bytes(lzma.decompress((SITES / f"{request.param}.sqlite3.xz").read_bytes()))
        yield f"sqlite:///{file}"
        return
    name = f"softmark_upgraded_{os.getpid()}"
    server = urlsplit(os.environ["DATABASE_URL"])
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as own:
        own.execute(f'DROP DATABASE IF EXISTS "{name}"')
        own.execute(f'CREATE DATABASE "{name}"')
        url = urlunsplit(server._replace(path=f"/{name}"))
        try:
            with psycopg.connect(url, autocommit=True) as made:
                made.execute(lzma.decompress((SITES / f"{request.param}.sql.xz").read_bytes()))
            yield url
        finally:
            own.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


@pytest.fixture
def variables(request: pytest.FixtureRequest, old_site: str, tmp_path: Path) -> dict[str, str]:
    """The variables of the site; of a Redis for all, each release has a database of its own."""
    own = {"DATABASE_URL": old_site, "SOFTMARK_DATA": str(tmp_path), "SOFTMARK_DEBUG": "1"}
    if not DEPLOYED:
        request.getfixturevalue("broker")
        return environment(**own)
    url = urlsplit(settings.REDIS_URL)
    # The next one is the whole site's.
    number = int(url.path.lstrip("/") or 0) + 2 + RELEASES.index(request.node.callspec.id)
    return environment(REDIS_URL=urlunsplit(url._replace(path=f"/{number}")), **own)


def run(variables: dict[str, str], *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=variables, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def marks(site: str) -> list[tuple[object, ...]]:
    """Return every grade with its attempt's score, from tables of any release."""
    if DEPLOYED:
        with psycopg.connect(site) as database:
            return database.execute(MARKS).fetchall()
    with sqlite3.connect(urlsplit(site).path) as database:
        return database.execute(MARKS).fetchall()


def test_what_is_open_waiting_or_finished_goes_on_after_an_upgrade(
    old_site: str, variables: dict[str, str]
) -> None:
    before = marks(old_site)
    run(variables, "manage.py", "migrate", "--verbosity=0")
    assert before
    assert marks(old_site) == before
    walk = ("manage.py", "shell", "--no-imports", "-c")
    output = run(variables, *walk, "from tests.upgrades.walk_site import main; main()")
    walked = json.loads(output.splitlines()[-1])
    assert not walked["failed"], f"{len(walked['failed'])}, the first: {walked['failed'][0]}"
    assert walked["done"]["regrade"]
    # More is marked by now, and regrades came and went: earlier marks stay as they were.
    assert set(before) <= set(marks(old_site))
