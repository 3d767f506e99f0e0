"""The whole site on two PostgreSQL servers of its own, while students save.

It is killed and migrated; in the end its primary is killed and the standby takes its place.
"""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from scripts import servers
from scripts.processes import Group
from tests.conftest import needs_postgresql, running_postgresql
from tests.faults.saving import (
    Student,
    all_save,
    everything_acknowledged_is_stored,
    kill_with_children,
    saving,
)
from tests.processes import Process, wait_until
from tests.sites import Site, running_demo

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("demo"), needs_postgresql]


@pytest.fixture(scope="module")
def standby(
    cluster: servers.PostgreSQL, postgresql: Process, group: Group, open_folder: Path
) -> Iterator[servers.PostgreSQL]:
    """A server that follows the primary."""
    made = servers.make_standby(cluster, open_folder, group)
    with running_postgresql(made, group, open_folder / "follower.log"):
        yield made


@pytest.fixture(scope="module")
def own_site(
    cluster: servers.PostgreSQL,
    standby: servers.PostgreSQL,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Site]:
    """The site on both servers.

    Its address names the standby first: if that were taken for the primary, nothing would work.
    """
    folder = tmp_path_factory.mktemp("own-site") / "data"
    hosts = f"{servers.HOST}:{standby.port},{servers.HOST}:{cluster.port}"
    with running_demo(folder, f"--database-url=postgresql://postgres@{hosts}/postgres") as site:
        yield site


@pytest.fixture
def students(own_site: Site) -> Iterator[list[Student]]:
    with saving(own_site) as students:
        yield students


def kill_database(site: Site, postgresql: Process) -> None:
    assert postgresql.process is not None
    kill_with_children(postgresql.process.pid)
    # Until it is waited for it counts as running, and the next one refuses to start.
    postgresql.process.wait(30)
    time.sleep(1)
    postgresql.start()


def kill_app(site: Site, postgresql: Process) -> None:
    kill_with_children(site.pids["web server"])


def kill_both(site: Site, postgresql: Process) -> None:
    kill_app(site, postgresql)
    kill_database(site, postgresql)


@pytest.mark.parametrize("kill", [kill_app, kill_database, kill_both])
def test_every_acknowledged_save_survives(
    own_site: Site,
    cluster: servers.PostgreSQL,
    postgresql: Process,
    students: list[Student],
    kill: Callable[[Site, Process], None],
) -> None:
    all_save(students)
    kill(own_site, postgresql)
    all_save(students)
    everything_acknowledged_is_stored(cluster.url, students)


def test_attempts_go_on_after_a_migration(
    own_site: Site, cluster: servers.PostgreSQL, students: list[Student]
) -> None:
    # Items lose columns under the servers, and get them back; tests/upgrades has the rest.
    all_save(students)
    own_site.manage("migrate", "quizzes", "0032", "--no-input")
    own_site.manage("migrate", "--no-input")
    all_save(students)
    everything_acknowledged_is_stored(cluster.url, students)
    for student in students:
        assert student.browser.ask(student.page)[0] == 200
    all_submit_and_are_marked(students)


def all_submit_and_are_marked(students: list[Student]) -> None:
    for student in students:
        assert student.browser.ask(f"{student.page}submit/", {})[0] == 200

    def marked(student: Student) -> bool:
        return '"graded"' in student.browser.ask(f"{student.page}status/")[1]

    wait_until(lambda: all(map(marked, students)), 60, "their marks")


def acknowledge_only_what_is_copied(primary_url: str) -> None:
    """Make the primary acknowledge only what the standby has written too."""
    with psycopg.connect(primary_url, autocommit=True) as primary:
        primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.execute("SELECT pg_reload_conf()")
        state = "SELECT sync_state FROM pg_stat_replication"
        wait_until(lambda: primary.execute(state).fetchone() == ("sync",), 30, "the copying")


def promote(standby: servers.PostgreSQL) -> None:
    subprocess.run(
        [servers.postgresql_program("pg_ctl"), "promote", "-D", standby.data],
        check=True,
        capture_output=True,
        env=dict(os.environ),
        **standby.user,
    )


# This test is last: there is only one standby to promote.
def test_saves_go_on_after_a_promotion_and_none_that_was_acknowledged_is_lost(
    own_site: Site,
    cluster: servers.PostgreSQL,
    postgresql: Process,
    standby: servers.PostgreSQL,
    students: list[Student],
) -> None:
    acknowledge_only_what_is_copied(cluster.url)
    all_save(students)
    assert postgresql.process is not None
    kill_with_children(postgresql.process.pid)
    time.sleep(1)
    promote(standby)
    began = time.monotonic()
    all_save(students, changes=1)
    assert time.monotonic() - began < 20  # on a busy machine
    all_save(students)
    everything_acknowledged_is_stored(standby.url, students)
    all_submit_and_are_marked(students)
