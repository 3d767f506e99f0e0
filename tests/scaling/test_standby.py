"""Two PostgreSQL servers: the primary is killed under saves, and the standby takes its place."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from scripts import servers
from scripts.processes import Group
from tests.conftest import needs_postgresql, running_postgresql
from tests.faults.saving import (
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
    """Follows the primary, which acknowledges nothing that is not written here too."""
    made = servers.make_standby(cluster, open_folder, group)
    with running_postgresql(made, group, open_folder / "follower.log"):
        with psycopg.connect(cluster.url, autocommit=True) as primary:
            primary.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            primary.execute("SELECT pg_reload_conf()")
            state = "SELECT sync_state FROM pg_stat_replication"
            wait_until(lambda: primary.execute(state).fetchone() == ("sync",), 30, "the copying")
        yield made


@pytest.fixture(scope="module")
def doubled_site(
    cluster: servers.PostgreSQL,
    standby: servers.PostgreSQL,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Site]:
    """The standby stands first in the address: where it is taken for the primary, nothing works."""
    folder = tmp_path_factory.mktemp("doubled-site") / "data"
    hosts = f"{servers.HOST}:{standby.port},{servers.HOST}:{cluster.port}"
    with running_demo(folder, f"--database-url=postgresql://postgres@{hosts}/postgres") as site:
        yield site


def promote(standby: servers.PostgreSQL) -> None:
    subprocess.run(
        [servers.postgresql_program("pg_ctl"), "promote", "-D", standby.data],
        check=True,
        capture_output=True,
        env=dict(os.environ),
        **standby.user,
    )


def test_saves_go_on_after_a_promotion_and_none_that_was_acknowledged_is_lost(
    doubled_site: Site, postgresql: Process, standby: servers.PostgreSQL
) -> None:
    with saving(doubled_site) as students:
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
        for student in students:
            assert student.browser.ask(f"{student.page}submit/", {})[0] == 200

        def marked() -> bool:
            pages = [student.browser.ask(f"{student.page}status/")[1] for student in students]
            return all('"graded"' in page for page in pages)

        wait_until(marked, 60, "their marks")
