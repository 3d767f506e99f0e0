"""The whole product as users meet it: `make demo`, in folders of the tests' own."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

from django.conf import settings

from scripts.bootstrap import ROOT
from tests.made_once import FEW, manage, migrated_postgresql, prepared_demo
from tests.processes import wait_until

# Runs received code, line by line, in one process, because starting Django takes seconds.
SHELL = """
import contextlib, io, json, sys, traceback
import django
django.setup()
from django.db import connections
for line in sys.stdin:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(json.loads(line), "<test>", "exec"), {})
            failed = ""
        except Exception:
            failed = traceback.format_exc()
    connections.close_all()
    print(json.dumps([printed.getvalue(), failed]), flush=True)
"""


@dataclass(frozen=True)
class Site:
    """A demo that runs."""

    url: str
    folder: Path
    environment: dict[str, str]
    supervisor: subprocess.Popen[Any]
    _shells: list[subprocess.Popen[str]] = field(default_factory=list)

    @property
    def output(self) -> str:
        """Return the supervisor's output: which processes ended, and how."""
        return self.folder.with_suffix(".out").read_text()

    @property
    def pids(self) -> dict[str, int]:
        return dict(json.loads((self.folder / "ready.json").read_text())["pids"])

    def manage(self, *command: str) -> str:
        """Run a management command on the site's database. Return its output."""
        return manage(self.environment, *command)

    def run(self, code: str) -> str:
        """Run Python in a process of the site, reused by the next call. Return its output."""
        if not self._shells:
            self._shells.append(
                subprocess.Popen(
                    [sys.executable, "-c", SHELL],
                    cwd=ROOT,
                    env=os.environ | self.environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
        [shell] = self._shells
        assert shell.stdin
        assert shell.stdout
        print(json.dumps(code), file=shell.stdin, flush=True)
        printed, failed = json.loads(shell.stdout.readline())
        assert not failed, failed
        return str(printed)

    def end(self) -> None:
        """End the site as Ctrl-C does."""
        for shell in self._shells:
            assert shell.stdin
            shell.stdin.close()
            shell.wait(30)
        self.supervisor.send_signal(signal.SIGINT)
        self.supervisor.wait(30)


@contextlib.contextmanager
def running_demo(folder: Path, *options: str, **variables: str) -> Iterator[Site]:
    """Run scripts.demo until the block ends, then stop it by Ctrl-C.

    A new folder begins as the copy of a prepared one.
    """
    if not folder.exists():
        shutil.copytree(prepared_demo(), folder)
    output = folder.with_suffix(".out")
    with output.open("wb") as file:
        supervisor = subprocess.Popen(
            [sys.executable, "-m", "scripts.demo", "--port=0", f"--data={folder}"]
            + ["--workers=1", "--follow-parent", *options],
            cwd=ROOT,
            env=os.environ | FEW | variables,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    site = Site("", folder, {}, supervisor)
    try:
        found = wait_until(lambda: _ready(site), 120, "the start of the demo")
        site = Site(found["url"].rstrip("/"), folder, found["environment"], supervisor)
        yield site
    finally:
        site.end()


def _ready(site: Site) -> dict[str, Any] | None:
    assert site.supervisor.poll() is None, f"the demo ended:\n{site.output}"
    with contextlib.suppress(FileNotFoundError):
        return dict(json.loads((site.folder / "ready.json").read_text()))
    return None


@contextlib.contextmanager
def servers_for_site() -> Iterator[list[str]]:
    """Create a database of the site's own; yield options for it and for the next Redis database."""
    import psycopg

    server = os.environ["DATABASE_URL"]
    name = f"softmark_site_{uuid4().hex[:8]}"
    url = urlsplit(settings.REDIS_URL)
    number = int(url.path.lstrip("/") or 0) + 1
    with psycopg.connect(server, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} TEMPLATE {migrated_postgresql()}")
        try:
            yield [
                f"--database-url={urlunsplit(urlsplit(server)._replace(path=f'/{name}'))}",
                f"--redis-url={urlunsplit(url._replace(path=f'/{number}'))}",
            ]
        finally:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
