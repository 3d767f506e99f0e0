"""Fixtures that all tests share: a real broker, a real worker, the whole site, and a browser.

Nothing is faked: workers are processes of their own, and no task ever runs eagerly.
"""

import contextlib
import gc
import os
import shutil
import socket
import tempfile
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import hypothesis
import pytest
import redis
from django.conf import settings
from django.core.management.commands import flush
from django.db import connection, transaction
from django.http import HttpResponse
from django.middleware.csrf import CSRF_SECRET_LENGTH
from django.test import Client
from django.utils.crypto import get_random_string
from hypothesis import is_hypothesis_test

from attention_core.catalogue import OWN
from attention_core.problems.family import Family
from attention_core.proving import Proof, prove
from quizzes.problems import draw_sample_problem, drawing, mistakes_in_kind
from quizzes.problems.catalogue import cost_of_kind
from quizzes.written import loading
from scripts import browser, servers
from scripts.broker import command
from scripts.demo import WORKER
from scripts.processes import Group
from tests.made_once import FILL_STOCK, drop_postgresql, migrated_database, migrated_postgresql
from tests.processes import Process
from tests.quizzes.written.published import forget_problems
from tests.sites import Site, running_demo, servers_for_site

pytest_plugins = ["tests.fixtures"]

CORE = Path(__file__).parent / "attention_core"
DEPLOYED = "REDIS_URL" in os.environ and not os.environ["REDIS_URL"].startswith("redis+socket:")

# The tests' machine may be busy: judge by results, not by milliseconds, and in CI by the same
# examples each time.
hypothesis.settings.register_profile("here", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)


def pytest_configure(config: pytest.Config) -> None:
    """Draw fewer examples in the quick run. The slow run draws as many as usual."""
    profile = "ci" if os.environ.get("CI") else "here"
    hypothesis.settings.load_profile(profile)
    if config.option.markexpr == "not slow":
        hypothesis.settings.register_profile("quick", hypothesis.settings(), max_examples=30)
        hypothesis.settings.load_profile("quick")


@pytest.hookimpl(tryfirst=True)  # before xdist reads the marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep tests on one xdist worker that share something slow to start or unique.

    Of the embedded site there may be two, so that two cores share the journeys file by file. Tests
    that migrate a whole database back and forth are slow and marked so, and so are tests of drawn
    examples in the slow run. They come first: otherwise one of them would run alone at the end.
    Tests of the core use the same problems, which each process would have to prove again.
    """
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        is_of_examples = is_hypothesis_test(getattr(item, "obj", None))
        if "migrate" in fixtures or (is_of_examples and config.option.markexpr == "slow"):
            item.add_marker(pytest.mark.slow)
        elif _shares_the_broker(fixtures) and not _shares_what_is_slow_to_start(item):
            item.add_marker(pytest.mark.xdist_group("worker"))
        elif CORE in item.path.parents and not item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.xdist_group("core"))
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    shared = [item for item in items if _shares_what_is_slow_to_start(item)]
    tests: Counter[int] = Counter({0: 0} if DEPLOYED else {0: 0, 1: 0})
    for _file, of_file in groupby(shared, key=lambda item: item.path):
        emptier = min(tests, key=lambda site: tests[site])
        for item in of_file:
            item.add_marker(pytest.mark.xdist_group(f"site {emptier}"))
            tests[emptier] += 1


def pytest_collection_finish() -> None:
    """Collect garbage seldom, and never look for it in what lasts as long as the process."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _shares_what_is_slow_to_start(item: pytest.Item) -> bool:
    return "site" in getattr(item, "fixturenames", ())


def _shares_the_broker(fixtures: Collection[str]) -> bool:
    """Return whether a test shares the tests' one worker, or the one Redis of all processes."""
    return "worker" in fixtures or (DEPLOYED and "broker" in fixtures)


# A client


class FormClient(Client):
    """A client that posts with a form's CSRF token, as the site's own pages do.

    Django's client skips every check by itself, so that a view which can never be posted to, or
    which accepts posts from any site, would pass its tests.
    """

    def __init__(self, **defaults: Any):
        super().__init__(enforce_csrf_checks=True, **defaults)

    def post(self, *args: Any, headers: Any = None, **more: Any) -> HttpResponse:
        name = settings.CSRF_COOKIE_NAME
        if name not in self.cookies:  # as any page with a form sets it
            self.cookies[name] = get_random_string(CSRF_SECRET_LENGTH)
        token = {"X-CSRFToken": self.cookies[name].value}
        return super().post(*args, headers=token | (headers or {}), **more)


@pytest.fixture
def client() -> FormClient:
    return FormClient()


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow a start to draw numbers as long as it takes: in tests every stock begins empty."""
    monkeypatch.setattr("quizzes.delivery.services.taking.MAX_DRAWING_SECONDS", 60)


@pytest.fixture(autouse=True)
def _problems_are_read_anew() -> Iterator[None]:
    """Forget the families of problems whose rows end with the test."""
    yield
    if loading._known.heads:
        for by_kind in (cost_of_kind, mistakes_in_kind, draw_sample_problem):
            by_kind.cache_clear()
    forget_problems()


PROVED: dict[tuple[str, str], list[Proof]] = defaultdict(list)


@pytest.fixture(autouse=True)
def _numbers_are_proved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reuse numbers proved for an earlier test: proving is expensive.

    In CI these are the same in each run. A test that names a seed gets its numbers.
    """
    asked: Counter[tuple[str, str]] = Counter()

    def prove_once(
        family: Family, seed: str, options: Any, *, wanted: Any, most_draws: int
    ) -> Proof:
        if len(seed) != 16 or family.key.startswith(OWN):
            return prove(family, seed, options, wanted=wanted, most_draws=most_draws)
        kind = family.key, repr(sorted(options.items()))
        while asked[kind] < len(PROVED[kind]):
            asked[kind] += 1
            if wanted((known := PROVED[kind][asked[kind] - 1]).problem.fingerprint):
                return known
        if os.environ.get("CI"):
            seed = f"the tests, {len(PROVED[kind])}"
        PROVED[kind].append(prove(family, seed, options, wanted=wanted, most_draws=most_draws))
        asked[kind] = len(PROVED[kind])
        return PROVED[kind][-1]

    monkeypatch.setattr(drawing, "prove", prove_once)


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Return whether the test's database exists already: SQLite's is a copy of a migrated one."""
    return not DEPLOYED


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """Create the test's database from a migrated one: migrating takes each process seconds."""
    if DEPLOYED:
        connection.settings_dict["TEST"]["TEMPLATE"] = migrated_postgresql()
    else:
        shutil.copy(migrated_database(), settings.DATABASES["default"]["TEST"]["NAME"])


def pytest_unconfigure(config: pytest.Config) -> None:
    """Drop the template database in the process that started the others."""
    if DEPLOYED and not hasattr(config, "workerinput"):
        drop_postgresql()


@pytest.fixture(scope="session", autouse=True)
def _events_go_with_their_test() -> Iterator[None]:
    """Lift SQLite's append-only triggers while a test's committed rows are emptied by DELETE."""
    triggers = import_module("audit.migrations.0002_append_only")
    empty = flush.sql_flush

    def sql_flush(style: Any, connection: Any, *args: Any, **options: Any) -> list[str]:
        sql = empty(style, connection, *args, **options)
        if connection.vendor != "sqlite":
            return sql
        return [*triggers.CHANGE["sqlite"], *sql, *triggers.APPEND["sqlite"]]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush, "sql_flush", sql_flush)
        yield


@pytest.fixture(scope="module")
def lasting_rows(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Keep a module's fixture rows for all its tests, each of which runs in a savepoint."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture(scope="session")
def group() -> Iterator[Group]:
    """The group of processes that tests start; it ends with this process, even a killed one."""
    with Group() as group:
        yield group


# Broker


def patient_client(url: str) -> redis.Redis:
    """Return a client of a broker that waits for answers; the product's waits a second at most."""
    return redis.Redis.from_url(url.replace("redis+socket://", "unix://"))


def answers(url: str) -> bool:
    with contextlib.suppress(redis.RedisError), patient_client(url) as client:
        return bool(client.ping())
    return False


def listens(port: int) -> bool:
    """Return whether a server accepts connections at the port."""
    with contextlib.suppress(OSError), socket.create_connection((servers.HOST, port), 1):
        return True
    return False


needs_postgresql = pytest.mark.skipif(
    servers.postgresql_program("initdb") is None, reason="PostgreSQL is not installed"
)


@pytest.fixture(scope="module")
def open_folder() -> Iterator[Path]:
    """A folder that servers which run as another user can reach."""
    with tempfile.TemporaryDirectory(prefix="softmark-servers-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.fixture(scope="module")
def cluster(open_folder: Path, group: Group) -> servers.PostgreSQL:
    """A PostgreSQL of the tests' own, not yet started."""
    return servers.make_postgresql(open_folder, group)


@pytest.fixture(scope="module")
def postgresql(cluster: servers.PostgreSQL, group: Group, open_folder: Path) -> Iterator[Process]:
    """The running server of `cluster`. Tests may kill and restart it: nobody else uses it."""
    with running_postgresql(cluster, group, open_folder / "server.log") as process:
        yield process


def running_postgresql(made: servers.PostgreSQL, group: Group, log: Path) -> Process:
    return Process(made.command, group, log, dict(os.environ), made.answers, made.user)


@pytest.fixture(scope="session")
def broker_process(group: Group) -> Iterator[Process | None]:
    """The private Valkey, so that a test can kill it; None where a real Redis is used."""
    url = settings.REDIS_URL
    if DEPLOYED:
        with redis.Redis.from_url(url) as client:
            client.delete("softmark", "unacked", "unacked_index", "unacked_mutex")
        yield None
        return
    folder = Path(settings.DATA) / "valkey"
    folder.mkdir()
    run = command(Path(urlsplit(url).path), folder)
    log = folder / "valkey.log"
    with Process(run, group, log, dict(os.environ), lambda: answers(url)) as process:
        yield process


@pytest.fixture
def broker(broker_process: Process | None) -> Process | None:
    """A broker that answers, restarted if the test before killed it."""
    if broker_process and not answers(settings.REDIS_URL):
        broker_process.kill()
        broker_process.start()
    return broker_process


# Worker


def database_url() -> str:
    """Return the address of the test's database, for other processes."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}"))


def environment(**changes: str) -> dict[str, str]:
    """Return a product process's environment, with the test's database and broker."""
    return os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": database_url(),
        "REDIS_URL": settings.REDIS_URL,
        "PYTHONUNBUFFERED": "1",
        "SOFTMARK_DATABASE_SECONDS": "5",
        "SOFTMARK_HEARTBEAT": f"{settings.DATA}/heartbeat",
        # No sweeps behind the back of other tests; the tests of sweeps set it lower.
        "SOFTMARK_SWEEP_SECONDS": "3600",
        **changes,
    }


def worker_of_tests(
    group: Group, name: str = "worker", processes: int = 1, **changes: str
) -> Process:
    """Return a Celery worker, not started yet."""
    log = Path(settings.DATA) / f"{name}.log"
    command = [*WORKER, "--loglevel=INFO", f"--concurrency={processes}"]
    return Process(
        command, group, log, environment(**changes), lambda: " ready." in log.read_text()
    )


@pytest.fixture(scope="session")
def worker_process(
    django_db_setup: None, broker_process: Process | None, group: Group
) -> Iterator[Process]:
    process = worker_of_tests(group)
    WORKERS.append(process)
    yield process
    process.stop()


WORKERS: list[Process] = []


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Stop workers before tests that did not request one.

    A message that a killed worker had taken comes back half a minute later.
    """
    if "worker" not in getattr(item, "fixturenames", ()):
        for worker in WORKERS:
            worker.stop()


@pytest.fixture
def worker(
    transactional_db: None, broker: Process | None, worker_process: Process
) -> Iterator[Process]:
    """A real Celery worker on the test's database; the test may kill it."""
    if not worker_process.alive:
        worker_process.start()
    yield worker_process
    print(worker_process.log.read_text())  # noqa: T201 (shown where the test failed)


# The whole site


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The whole product, running; on PostgreSQL and Redis in the run for the deployed form."""
    folder = tmp_path_factory.mktemp("site") / "data"
    with contextlib.ExitStack() as stack:
        options = stack.enter_context(servers_for_site()) if DEPLOYED else []
        if DEPLOYED:
            folder.mkdir()  # a prepared SQLite would be of no use
        running = stack.enter_context(running_demo(folder, *options))
        if DEPLOYED:
            running.run(FILL_STOCK)
        yield running


# Browser


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Launch this machine's Chromium in a form that runs in containers and as root."""
    path = os.environ.get("SOFTMARK_TEST_BROWSER") or browser.find()
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    # No page lives long enough here to earn the cost of optimising compilers.
    quiet.append("--js-flags=--no-turbofan --no-maglev")
    return browser_type_launch_args | {"executable_path": path, "args": quiet}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any], site: Site) -> dict[str, Any]:
    """Resolve `page.goto("/")` to the site's first page."""
    return browser_context_args | {"base_url": site.url}
