"""The whole site through PgBouncer, which lends a connection for no longer than a transaction."""

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import psycopg
import pytest

from scripts import servers
from scripts.processes import Group
from tests.conftest import listens
from tests.processes import Process, wait_until
from tests.scaling.walking import Walker, quiz_and_sessions
from tests.sites import Site, running_demo

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("demo"),
    pytest.mark.skipif(
        servers.postgresql_program("initdb") is None or servers.pgbouncer_program() is None,
        reason="PostgreSQL or PgBouncer is not installed",
    ),
]

STUDENTS = 24
# Far fewer than the site's threads, so that they take turns within one request.
CONNECTIONS = 3

SETTINGS = """
[databases]
* = host={host} port={server} user=postgres
[pgbouncer]
listen_addr = {host}
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {connections}
max_client_conn = 200
idle_transaction_timeout = 15
"""

READ_AT_ONCE = """
from concurrent.futures import ThreadPoolExecutor
from django.contrib.auth.models import Permission
from django.db import connection

def read(_):
    try:
        return len(list(Permission.objects.iterator(chunk_size=5)))
    finally:
        connection.close()

with ThreadPoolExecutor(12) as pool:
    print(set(pool.map(read, range(48))) == {Permission.objects.count()})
"""


@pytest.fixture(scope="module")
def pooled(
    cluster: servers.PostgreSQL, postgresql: Process, group: Group, open_folder: Path
) -> Iterator[str]:
    """The database's address by way of the pooler."""
    port, folder = servers.free_port(), open_folder / "pgbouncer"
    folder.mkdir()
    settings = folder / "pgbouncer.ini"
    settings.write_text(
        SETTINGS.format(host=servers.HOST, server=cluster.port, port=port, connections=CONNECTIONS)
    )

    command = [servers.pgbouncer_program(), settings]
    user = servers.unprivileged_options(folder)
    with Process(command, group, folder / "log", dict(os.environ), lambda: listens(port), user):
        yield f"postgresql://postgres@{servers.HOST}:{port}/postgres?pooler=transaction"


@pytest.fixture(scope="module")
def pooled_site(pooled: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("pooled-site") / "data"
    with running_demo(folder, f"--database-url={pooled}") as site:
        yield site


def test_all_who_start_save_and_submit_at_once_are_marked(
    pooled_site: Site, cluster: servers.PostgreSQL
) -> None:
    together = Barrier(STUDENTS)

    def take(number: int, session: str) -> tuple[int, str]:
        """Return the attempt, and the last acknowledged choice."""
        with Walker(pooled_site.url, session) as student:
            together.wait(60)
            student.start(slug)
            choices = "bcd" + "ab"[number % 2]
            for choice in choices:
                student.save(choice)
            together.wait(60)
            student.submit()
            student.wait_for_marks()
            assert "Results" in student.results()
            return student.attempt, choices[-1]

    slug, found = quiz_and_sessions(pooled_site, STUDENTS)
    with ThreadPoolExecutor(STUDENTS) as pool:
        taken = dict(pool.map(take, range(STUDENTS), found))
    assert len(taken) == STUDENTS
    with psycopg.connect(cluster.url) as database:
        marked = database.execute(
            "SELECT item.attempt_id, answer.raw, attempt.score > 0, count(*) "
            "FROM quizzes_answer answer "
            "JOIN quizzes_item item ON item.id = answer.item_id "
            "JOIN quizzes_attempt attempt ON attempt.id = item.attempt_id "
            "JOIN quizzes_quiz quiz ON quiz.id = attempt.quiz_id "
            "JOIN quizzes_grade ON quizzes_grade.answer_id = answer.id "
            "WHERE quiz.slug = %s GROUP BY 1, 2, 3",
            [slug],
        ).fetchall()
        (connections,) = database.execute(
            "SELECT count(*) FROM pg_stat_activity "
            "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        ).fetchone()
    assert sorted(marked) == sorted(
        (attempt, {"answer": choice}, choice == "a", 1) for attempt, choice in taken.items()
    )
    assert connections <= CONNECTIONS


def test_a_row_that_is_locked_holds_a_thread_for_seconds_and_nothing_goes_on_waiting(
    pooled_site: Site, cluster: servers.PostgreSQL
) -> None:
    """Sessions set these limits elsewhere, but all users share a pooler's sessions."""
    slug, [session] = quiz_and_sessions(pooled_site, 1)

    def waiting() -> int:
        query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        with psycopg.connect(cluster.url) as database:
            return database.execute(query).fetchone()[0]

    with Walker(pooled_site.url, session) as student:
        student.start(slug)
        with psycopg.connect(cluster.url) as holder:
            holder.execute(
                "SELECT 1 FROM quizzes_attempt WHERE id = %s FOR UPDATE", [student.attempt]
            )
            began = time.monotonic()
            with pytest.raises(AssertionError, match="be saved"):
                student.save("a")
            assert time.monotonic() - began < 15  # on a busy machine
            wait_until(lambda: waiting() == 0, what="the end of what waited for the row")
        student.save("a")


def test_rows_that_are_read_part_by_part_come_whole(pooled_site: Site) -> None:
    """A server-side cursor belongs to one connection, but the next part may use any."""
    assert pooled_site.manage("shell", "-v0", "--no-imports", f"--command={READ_AT_ONCE}") == (
        "True\n"
    )
