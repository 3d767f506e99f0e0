"""What all tests share: a real broker, a real worker, the whole site, and a browser.

Nothing here pretends: workers are processes of their own, and no task ever runs eagerly.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import hypothesis
import pytest
import redis
from django.conf import settings
from django.core.management.commands import flush
from django.db import connection
from django.http import HttpResponse
from django.middleware.csrf import CSRF_SECRET_LENGTH
from django.test import Client
from django.utils.crypto import get_random_string

from scripts import broker as valkey
from scripts import browser, servers
from scripts.bootstrap import ROOT
from scripts.processes import Group

DEPLOYED = "REDIS_URL" in os.environ and not os.environ["REDIS_URL"].startswith("redis+socket:")

# The machine that runs the tests may be busy: judge by results, not by milliseconds; and
# where a change is judged, the same examples each time.
hypothesis.settings.register_profile("here", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "here")


@pytest.hookimpl(tryfirst=True)  # before xdist looks at the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep on one xdist worker what shares something that is slow to start or exists once.

    Of the embedded site there may be two, so that two cores share the journeys file by file.
    Whatever migrates a whole database forth and back takes its time, and is left to the slow ones.
    """
    for item in items:
        if "migrate" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
    shared = [item for item in items if _shares_what_is_slow_to_start(item)]
    tests: Counter[int] = Counter({0: 0} if DEPLOYED else {0: 0, 1: 0})
    for _file, of_file in groupby(shared, key=lambda item: item.path):
        emptier = min(tests, key=lambda site: tests[site])
        for item in of_file:
            item.add_marker(pytest.mark.xdist_group(f"site {emptier}"))
            tests[emptier] += 1


def _shares_what_is_slow_to_start(item: pytest.Item) -> bool:
    used = set(getattr(item, "fixturenames", ()))
    return "site" in used or (DEPLOYED and "broker" in used)


def wait_until[T](condition: Callable[[], T], seconds: float = 30, what: str = "it") -> T:
    """Ask again and again until the answer is true, and return it."""
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds:g} s"
        time.sleep(0.02)
    return answer


# A client


class FormClient(Client):
    """Posts with a form's token, as the site's own pages do, and is refused wherever that is wrong.

    Django's client passes every check by itself, so that a view which can never be posted to, or
    takes what any site sends, would look all right.
    """

    def __init__(self, **defaults: Any):
        super().__init__(enforce_csrf_checks=True, **defaults)

    def post(self, *args: Any, headers: Any = None, **more: Any) -> HttpResponse:
        name = settings.CSRF_COOKIE_NAME
        if name not in self.cookies:  # as any page with a form would have set it
            self.cookies[name] = get_random_string(CSRF_SECRET_LENGTH)
        token = {"X-CSRFToken": self.cookies[name].value}
        return super().post(*args, headers=token | (headers or {}), **more)


@pytest.fixture
def client() -> FormClient:
    return FormClient()


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a start draw numbers for as long as it takes: in tests every stock begins empty."""
    monkeypatch.setattr("quizzes.delivery.services.taking.SECONDS_TO_DRAW", 60)


@pytest.fixture(scope="session", autouse=True)
def _events_go_with_their_test() -> Iterator[None]:
    """What a test committed is emptied after it; SQLite does so by DELETE, which events refuse."""
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


@pytest.fixture(scope="session")
def group() -> Iterator[Group]:
    """Holds what tests start; it ends with this process, even when that is killed."""
    with Group() as group:
        yield group


def children_of(pid: int) -> set[int]:
    """The processes that a process has started itself, and that have not ended."""
    listed = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True)
    return set(map(int, listed.stdout.split()))


@dataclass
class Process:
    """A process that a test may kill or freeze, and start again."""

    command: list[Any]
    group: Group
    log: Path
    environment: dict[str, str]
    is_ready: Callable[[], bool]
    options: dict[str, Any] = field(default_factory=lambda: {"cwd": ROOT})
    process: subprocess.Popen[Any] | None = None

    def start(self) -> None:
        with self.log.open("wb") as log:
            self.process = self.group.popen(
                self.command,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                **self.options,
            )
        wait_until(self._started, what=f"the start of {self.command}")

    def _started(self) -> bool:
        assert self.alive, f"{self.command} ended: {self.log.read_text()}"
        return self.is_ready()

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def send(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def freeze(self) -> None:
        """Stop it where it is; it has stopped when this returns."""
        assert self.process is not None
        self.send(signal.SIGSTOP)
        os.waitpid(self.process.pid, os.WUNTRACED)

    def thaw(self) -> None:
        self.send(signal.SIGCONT)

    def kill(self) -> None:
        """End it as a power cut would."""
        self.end(signal.SIGKILL)

    def stop(self) -> None:
        """End it in order."""
        self.end(signal.SIGTERM)

    def end(self, number: signal.Signals) -> None:
        if self.alive:
            assert self.process is not None
            self.thaw()  # a frozen process hears nothing else
            self.send(number)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                pytest.fail(f"{self.command} did not end:\n{self.log.read_text()}")

    def __enter__(self) -> "Process":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


# Broker


def patient_client(url: str) -> redis.Redis:
    """A broker's, which waits for its answers, as the product's own do for a second at most."""
    return redis.Redis.from_url(url.replace("redis+socket://", "unix://"))


def answers(url: str) -> bool:
    with contextlib.suppress(redis.RedisError), patient_client(url) as client:
        return bool(client.ping())
    return False


def listens(port: int) -> bool:
    """Does anybody take connections there?"""
    with contextlib.suppress(OSError), socket.create_connection((servers.HOST, port), 1):
        return True
    return False


needs_postgresql = pytest.mark.skipif(
    servers.postgresql_program("initdb") is None, reason="PostgreSQL is not installed"
)


@pytest.fixture(scope="module")
def open_folder() -> Iterator[Path]:
    """One that servers can reach which run as another user."""
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
    """It runs, and may be killed and started again: it is nobody else's."""
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
    command = valkey.command(Path(urlsplit(url).path), folder)
    log = folder / "valkey.log"
    with Process(command, group, log, dict(os.environ), lambda: answers(url)) as process:
        yield process


@pytest.fixture
def broker(broker_process: Process | None) -> Process | None:
    """A broker that answers; started again if the test before killed it."""
    if broker_process and not answers(settings.REDIS_URL):
        broker_process.kill()
        broker_process.start()
    return broker_process


# Worker


def database_url() -> str:
    """The address of the test's database, for other processes."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}"))


def environment(**changes: str) -> dict[str, str]:
    """What a process of the product is to see, on the test's database and broker."""
    return os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": database_url(),
        "REDIS_URL": settings.REDIS_URL,
        "PYTHONUNBUFFERED": "1",
        "SOFTMARK_DATABASE_SECONDS": "5",
        "SOFTMARK_HEARTBEAT": f"{settings.DATA}/heartbeat",
        # Not by itself behind the back of other tests; the tests of that say otherwise.
        "SOFTMARK_SWEEP_SECONDS": "3600",
        **changes,
    }


def worker_of_tests(
    group: Group, name: str = "worker", processes: int = 1, **changes: str
) -> Process:
    """A Celery worker, not started yet."""
    log = Path(settings.DATA) / f"{name}.log"
    command = [
        *(sys.executable, "-m", "celery", "--app=config.celery", "worker", "--loglevel=INFO"),
        f"--concurrency={processes}",
    ]
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
    """Let no worker mark behind the back of a test that did not ask for it.

    A ring that a killed worker held comes back half a minute later.
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


@dataclass(frozen=True)
class Site:
    """The product as its users meet it: `make demo`, in a folder of its own."""

    url: str
    folder: Path
    environment: dict[str, str]
    supervisor: subprocess.Popen[Any]

    @property
    def said(self) -> str:
        """What the one who looks after its processes has written: which of them ended, and how."""
        return self.folder.with_suffix(".out").read_text()

    @property
    def pids(self) -> dict[str, int]:
        return dict(json.loads((self.folder / "ready.json").read_text())["pids"])

    def manage(self, *command: str) -> str:
        """Run a management command on the site's database; its output."""
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=os.environ | self.environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextlib.contextmanager
def running_demo(folder: Path, *options: str, **variables: str) -> Iterator[Site]:
    """Run scripts.demo until the block ends, and then Ctrl-C it."""
    folder.mkdir(parents=True, exist_ok=True)
    output = folder.with_suffix(".out")
    with output.open("wb") as file:
        supervisor = subprocess.Popen(
            [sys.executable, "-m", "scripts.demo", "--port=0", f"--data={folder}"]
            + ["--workers=1", "--follow-parent", *options],
            cwd=ROOT,
            # Drawing forty of each kind would keep a core busy while tests run.
            env=os.environ | {"SOFTMARK_STOCK": "3", "SOFTMARK_DATABASE_SECONDS": "5"} | variables,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def ready() -> dict[str, Any] | None:
        assert supervisor.poll() is None, f"the demo ended:\n{output.read_text()}"
        with contextlib.suppress(FileNotFoundError):
            return dict(json.loads((folder / "ready.json").read_text()))
        return None

    try:
        found = wait_until(ready, 120, "the start of the demo")
        yield Site(found["url"].rstrip("/"), folder, found["environment"], supervisor)
    finally:
        supervisor.send_signal(signal.SIGINT)
        supervisor.wait(30)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The whole product, running; on PostgreSQL and Redis in the run for the deployed form."""
    folder = tmp_path_factory.mktemp("site") / "data"
    with contextlib.ExitStack() as stack:
        options = stack.enter_context(servers_for_site()) if DEPLOYED else []
        yield stack.enter_context(running_demo(folder, *options))


@contextlib.contextmanager
def servers_for_site() -> Iterator[list[str]]:
    """A database of the site's own, and the Redis database after the tests' own."""
    import psycopg

    server = os.environ["DATABASE_URL"]
    name = f"softmark_site_{uuid4().hex[:8]}"
    url = urlsplit(settings.REDIS_URL)
    number = int(url.path.lstrip("/") or 0) + 1
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        try:
            yield [
                f"--database-url={urlunsplit(urlsplit(server)._replace(path=f'/{name}'))}",
                f"--redis-url={urlunsplit(url._replace(path=f'/{number}'))}",
            ]
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


# Browser


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Chromium of this machine, in a form that runs in containers and as root."""
    path = os.environ.get("SOFTMARK_TEST_BROWSER") or browser.find()
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    return browser_type_launch_args | {"executable_path": path, "args": quiet}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any], site: Site) -> dict[str, Any]:
    """`page.goto("/")` is the site's first page."""
    return browser_context_args | {"base_url": site.url}
