"""Run a command with a PostgreSQL and a Redis of its own: `python -m scripts.servers make test`.

Both are made for the command and deleted after it, whatever else runs on the machine. Missing
programs are installed if permitted. SERVICE_DATABASE_URL and SERVICE_REDIS_URL name the servers;
if both are set already, the servers that they name are used.
"""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts import broker, system
from scripts.bootstrap import ROOT
from scripts.console import Problem, last_lines, report_problems, step
from scripts.processes import Group

DATABASE, REDIS = "SERVICE_DATABASE_URL", "SERVICE_REDIS_URL"
HOST = "127.0.0.1"


def main(command: list[str]) -> int:
    if os.environ.get(DATABASE) and os.environ.get(REDIS):
        return subprocess.run(command, cwd=ROOT).returncode
    install_missing()
    with tempfile.TemporaryDirectory(prefix="softmark-servers-") as name, Group() as group:
        folder = Path(name)
        folder.chmod(0o755)
        with step("Starting PostgreSQL and Redis"):
            servers = {DATABASE: start_postgresql(folder, group), REDIS: start_redis(folder, group)}
        return subprocess.run(command, cwd=ROOT, env=os.environ | servers).returncode


def install_missing() -> None:
    packages = []
    if postgresql_program("initdb") is None:
        packages.append("postgresql")
    if redis_program() is None:
        packages.append("redis-server")
    if pgbouncer_program() is None:
        packages.append("pgbouncer")  # a few slow tests go through it, and are skipped without it
    if packages:
        with step(f"Installing {' and '.join(packages)}"):
            system.install(packages)
    if postgresql_program("initdb") is None or redis_program() is None:
        raise Problem(
            "The tests of the deployed form need PostgreSQL and Redis, and these couldn't be "
            "installed. Install both (Debian, Ubuntu: sudo apt install postgresql redis-server), "
            f"or set {DATABASE} and {REDIS} to other servers."
        )


def postgresql_program(name: str) -> str | None:
    """Return the path of a PostgreSQL program; Debian keeps them in a folder by version."""
    versions = Path("/usr/lib/postgresql").glob(f"*/bin/{name}")
    newest = max(versions, key=lambda path: float(path.parts[4]), default=None)
    return str(newest) if newest else shutil.which(name)


def redis_program() -> str | None:
    return shutil.which("redis-server") or shutil.which("valkey-server")


def pgbouncer_program() -> str | None:
    """Return the path of PgBouncer; Debian keeps it in an administrator's folder."""
    return shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")


@dataclass(frozen=True)
class PostgreSQL:
    """A PostgreSQL cluster, and the command and the user that run it."""

    data: Path
    user: dict[str, Any]
    port: int

    @property
    def command(self) -> list[Any]:
        return [
            *(postgresql_program("postgres"), "-D", self.data, "-p", str(self.port)),
            # It is deleted afterwards, so it need not survive a power cut.
            *("-c", f"listen_addresses={HOST}", "-c", "unix_socket_directories=", "-F"),
        ]

    @property
    def url(self) -> str:
        return f"postgresql://postgres@{HOST}:{self.port}/postgres"

    def answers(self) -> bool:
        ask = [postgresql_program("pg_isready"), "-h", HOST, "-p", str(self.port), "-U", "postgres"]
        return subprocess.run([*ask, "-q"]).returncode == 0


def make_postgresql(folder: Path, group: Group) -> PostgreSQL:
    made = _room_for_postgresql(folder / "postgresql")
    group.run(
        [postgresql_program("initdb"), "--pgdata", made.data, "--username=postgres"]
        + ["--auth=trust", "--encoding=UTF8", "--no-sync"],
        folder / "postgresql.log",
        "PostgreSQL couldn't be set up. The log ends with:",
        **made.user,
    )
    return made


def make_standby(primary: PostgreSQL, folder: Path, group: Group) -> PostgreSQL:
    """Return a copy of a running server, which follows it once started."""
    made = _room_for_postgresql(folder / "standby")
    group.run(
        [postgresql_program("pg_basebackup"), "--pgdata", made.data, "--write-recovery-conf"]
        + ["--checkpoint=fast", "--no-sync", f"--dbname={primary.url}"],
        folder / "standby.log",
        "PostgreSQL couldn't be copied. The log ends with:",
        **made.user,
    )
    return made


def _room_for_postgresql(data: Path) -> PostgreSQL:
    data.mkdir(mode=0o700)
    return PostgreSQL(data, unprivileged_options(data), free_port())


def unprivileged_options(folder: Path) -> dict[str, Any]:
    """Return options to run a process without root's rights. Give it the folder."""
    user: dict[str, Any] = {"cwd": folder.parent}
    if os.geteuid() == 0:
        account = pwd.getpwnam("postgres")
        os.chown(folder, account.pw_uid, account.pw_gid)
        user |= {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    return user


def start_postgresql(folder: Path, group: Group) -> str:
    made, log = make_postgresql(folder, group), folder / "postgresql.log"
    with log.open("ab") as file:
        server = group.popen(made.command, stdout=file, stderr=subprocess.STDOUT, **made.user)
    wait(server, made.answers, log)
    return made.url


def start_redis(folder: Path, group: Group) -> str:
    log, port = folder / "redis.log", free_port()
    with log.open("wb") as file:
        server = group.popen(
            [redis_program(), "--port", str(port), "--bind", HOST, "--dir", folder]
            + broker.SETTINGS,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    wait(server, lambda: answers_ping(port), log)
    return f"redis://{HOST}:{port}/0"


def answers_ping(port: int) -> bool:
    try:
        with socket.create_connection((HOST, port), timeout=1) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(7) == b"+PONG\r\n"
    except OSError:
        return False


def wait(server: subprocess.Popen[Any], ready: Callable[[], bool], log: Path) -> None:
    deadline = time.monotonic() + 30
    while not ready():
        if server.poll() is not None or time.monotonic() > deadline:
            raise Problem(f"A server didn't start. {log} ends with:\n{last_lines(log)}")
        time.sleep(0.05)


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind((HOST, 0))
        return int(trial.getsockname()[1])


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with report_problems():
        sys.exit(main(sys.argv[1:]))
