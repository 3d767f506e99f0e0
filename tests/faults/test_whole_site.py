"""The whole site on a PostgreSQL of its own, while students save: killed, and migrated."""

import time
from collections.abc import Callable, Iterator

import pytest

from scripts import servers
from tests.conftest import needs_postgresql
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
def own_site(
    cluster: servers.PostgreSQL, postgresql: Process, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("own-site") / "data"
    with running_demo(folder, f"--database-url={cluster.url}") as site:
        yield site


@pytest.fixture
def students(own_site: Site) -> Iterator[list[Student]]:
    with saving(own_site) as students:
        yield students


def kill_database(site: Site, postgresql: Process) -> None:
    assert postgresql.process is not None
    kill_with_children(postgresql.process.pid)
    # Until we have taken note of its end it counts as running, and the next one refuses to start.
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
    # Their tables as they once were, with what was saved in them.
    all_save(students)
    own_site.manage("migrate", "quizzes", "0001", "--no-input")
    own_site.manage("migrate", "--no-input")
    all_save(students)
    everything_acknowledged_is_stored(cluster.url, students)
    for student in students:
        assert student.browser.ask(student.page)[0] == 200
        assert student.browser.ask(f"{student.page}submit/", {})[0] == 200

    def marked(student: Student) -> bool:
        return '"graded"' in student.browser.ask(f"{student.page}status/")[1]

    wait_until(lambda: all(map(marked, students)), 60, "their marks")
