"""The whole site with one command: `make demo`, or `python -m scripts.demo --help`.

Sets up what is missing, then runs a broker, a worker, beat and the web server until Ctrl-C.
All its data is in one folder that can be deleted. With --database-url and --redis-url
it runs the same processes on real servers instead of SQLite and its own Valkey.
"""

import argparse
import errno
import json
import os
import signal
import socket
import subprocess
import threading
import time
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote

from scripts import bootstrap, broker
from scripts.bootstrap import PYTHON, ROOT
from scripts.console import Problem, last_lines, print_now, report_problems, step
from scripts.data_folder import Stamp, broker_socket, lock_folder, secret_key
from scripts.processes import Group, Service, finish

HOST = "127.0.0.1"
CORES = os.process_cpu_count() or 1
CELERY = [PYTHON, "-m", "celery", "--app=config.celery"]
# Nobody reads the workers' events here. Worse, a worker that cannot send its heartbeat tries again
# for ever inside its event loop, where it hears neither messages nor SIGTERM.
WORKER = [*CELERY, "worker", "--without-heartbeat", "--without-gossip", "--without-mingle"]
PACKAGES = [
    *("accounts", "api", "attention_core", "audit", "classes", "config", "content", "demo"),
    *("design", "foundation", "lessons", "operations", "outbox", "quizzes", "sharing"),
]
CODE = ["requirements.txt", "scripts/prepare.py", *(f"{package}/**/*" for package in PACKAGES)]
STATIC = [
    "requirements.txt",
    "config/static_files.py",
    *(f"{package}/static/**/*" for package in PACKAGES),
]


def main() -> None:
    began = time.monotonic()
    options = read_options()
    catch_signals()
    if options.follow_parent:
        end_with_parent()
    with report_problems():
        folder = Path(options.data).resolve()
        # The database has sessions: it is closed to other users of this machine.
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
        (folder / "logs").mkdir(exist_ok=True)
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
    parser.add_argument("--port", default="8000", help="the port of the site; 0 takes any free one")
    parser.add_argument(
        "--data", default=ROOT / ".demo", help="the folder for everything it stores"
    )
    parser.add_argument("--database-url", help="use this database instead of SQLite")
    parser.add_argument("--redis-url", help="use this Redis instead of a private Valkey")
    parser.add_argument("--web", type=int, default=min(CORES, 4), help="how many web processes")
    parser.add_argument("--workers", type=int, default=CORES, help="how many worker processes")
    parser.add_argument(
        "--with-class", action="store_true", help="then make a class with three weeks of work"
    )
    parser.add_argument(
        "--follow-parent", action="store_true", help="end with the process that started this"
    )
    return parser.parse_args()


def catch_signals() -> None:
    """Raise KeyboardInterrupt on Ctrl-C, on SIGTERM, and when the terminal closes."""

    def interrupt(*_: Any) -> NoReturn:
        raise KeyboardInterrupt

    # Set even where it is ignored, as it is for a shell's background jobs.
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup means it
        signal.signal(signal.SIGHUP, interrupt)


def end_with_parent() -> None:
    """End this process when its parent ends: if make is killed, Ctrl-C reaches nobody."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.25)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


def free_port(wanted: str) -> int:
    """Return the wanted port, or a free one for 0. Raise Problem if it cannot be opened."""
    if not wanted.isdecimal() or int(wanted) > 65535:
        raise Problem(f"A port is a number up to 65535, not {wanted!r}: make demo PORT=8001")
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((HOST, int(wanted)))
        except OSError as error:
            reason = {
                errno.EADDRINUSE: "is in use by another program. Stop that one",
                errno.EACCES: "can only be opened by the administrator. Leave it",
            }.get(error.errno or 0, f"can't be opened ({error.strerror}). Leave it")
            other = int(wanted) + 1 if int(wanted) >= 1024 else 8000
            raise Problem(
                f"Port {wanted} {reason}, or choose another one: make demo PORT={other}"
            ) from None
        return int(trial.getsockname()[1])


class Demo:
    def __init__(self, folder: Path, port: int, options: argparse.Namespace, group: Group) -> None:
        self.folder, self.port, self.options, self.group = folder, port, options, group
        self.url = f"http://{HOST}:{port}/"
        self.ready_file = folder / "ready.json"
        self.sqlite = folder / "softmark.sqlite3"
        self.services: dict[str, Service] = {}
        self.filling: subprocess.Popen[Any] | None = None
        self.settings = {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": options.database_url or f"sqlite:///{quote(str(self.sqlite))}",
            "REDIS_URL": options.redis_url or f"redis+socket://{quote(str(broker_socket(folder)))}",
            "PYTHONUNBUFFERED": "1",
            "SOFTMARK_ALLOWED_HOSTS": f"{HOST},localhost",
            "SOFTMARK_DATA": str(folder),
            "SOFTMARK_DEBUG": "0",
            "SOFTMARK_DEMO": "1",
            "SOFTMARK_HTTPS": "0",
            "SOFTMARK_SECRET_KEY": secret_key(folder),
            "SOFTMARK_URL": self.url,
        }
        self.environment = os.environ | self.settings
        # With it every process would compile all of Django again, at each start.
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def start(self, began: float) -> None:
        self.ready_file.unlink(missing_ok=True)
        bootstrap.ensure(bootstrap.RUN, self.group.popen)
        if not self.options.redis_url:
            self.start_broker()
        self.prepare()
        with step("Starting the web server and the worker"):
            self.start_web_server()
            self.start_worker()
            self.wait_until_it_answers()
        self.start_beat()  # last, because the first page does not need it
        self.announce(began)
        if self.options.with_class:
            self.fill_class()

    def start_broker(self) -> None:
        data = self.folder / "valkey"
        data.mkdir(exist_ok=True)
        self.service("broker", broker.command(broker_socket(self.folder), data))

    def prepare(self) -> None:
        """Prepare the database and the static files, side by side, if anything has changed."""
        log = self.folder / "logs/static.log"
        static = self.stamp("static", STATIC)
        collecting = None if static.is_current() else self.collect_static_files(static, log)
        # The state of a database outside the folder is unknown.
        database = self.stamp("database", CODE)
        if self.options.database_url or not (self.sqlite.exists() and database.is_current()):
            with step("Preparing the database, the lessons and the accounts"):
                self.group.run(
                    [PYTHON, "-m", "scripts.prepare", self.folder / "logins.txt"],
                    self.folder / "logs/prepare.log",
                    "The database couldn't be prepared. The log ends with:",
                    cwd=ROOT,
                    env=self.environment,
                )
            database.set()
        if collecting:
            with step("Compressing styles and scripts"):
                finish(collecting, log, "Static files couldn't be collected. The log ends with:")
            static.set()

    def collect_static_files(self, stamp: Stamp, log: Path) -> subprocess.Popen[Any]:
        """Start collecting static files, beside earlier releases', which open pages still ask for.

        After an interrupted start all are collected again: half a file would stay for good.
        """
        clear = [] if stamp.file.exists() else ["--clear"]
        stamp.file.unlink(missing_ok=True)
        command = [PYTHON, "manage.py", "collectstatic", "--no-input", "--verbosity=0", *clear]
        return self.group.begin(command, log, cwd=ROOT, env=self.environment)

    def stamp(self, name: str, patterns: list[str]) -> Stamp:
        return Stamp(self.folder / f"{name}.stamp", patterns)

    def start_web_server(self) -> None:
        self.service(
            "web server",
            [PYTHON, "-m", "gunicorn", "config.wsgi", f"--bind={HOST}:{self.port}", "--preload"]
            + [f"--workers={self.options.web}", "--threads=2", "--graceful-timeout=5"]
            + ["--keep-alive=60"]
            + ["--worker-class=config.web_worker.PatientWorker"]
            + ["--no-control-socket", "--access-logfile=-"],
        )

    def start_worker(self) -> None:
        self.service(
            "worker",
            [*WORKER, f"--concurrency={self.options.workers}", "--loglevel=INFO"],
            heartbeat=self.folder / "worker.heartbeat",
        )

    def start_beat(self) -> None:
        # Its schedule is in seconds, so no state has to survive a restart.
        self.service("beat", [*CELERY, "beat", "--scheduler=celery.beat:Scheduler", "--pidfile="])

    def service(self, name: str, command: list[Any], heartbeat: Path | None = None) -> None:
        log = self.folder / "logs" / f"{name.split()[0]}.log"
        environment = self.environment | ({"SOFTMARK_HEARTBEAT": heartbeat} if heartbeat else {})
        self.services[name] = Service(
            name, command, group=self.group, log=log, ready=heartbeat, cwd=ROOT, env=environment
        )

    def fill_class(self) -> None:
        """Start filling the demo class, at the lowest priority: nothing waits for it."""
        self.filling = self.group.begin(
            ["nice", "-n", "15", PYTHON, "manage.py", "demo_class"],
            self.folder / "logs/class.log",
            cwd=ROOT,
            env=self.environment | {"OPENBLAS_NUM_THREADS": "1"},
        )

    def announce_class(self) -> None:
        """Print once that the demo class is there, or that it failed, which harms nothing else."""
        if self.filling is None or self.filling.poll() is None:
            return
        if self.filling.returncode == 0:
            print_now(
                f"\nThere's a class with three weeks of work now, at {self.url}teach/. Log in as "
                "the instructor to teach it, or as the student to take its quizzes."
            )
        else:
            print_now(
                f"\nThe class with three weeks of work couldn't be made. Everything else works. "
                f"The reason is in {self.folder}/logs/class.log"
            )
        self.filling = None

    def wait_until_it_answers(self) -> None:
        while (status := self.first_page_status()) is None:
            self.look_after()
            time.sleep(0.05)
        if status >= 500:
            log = self.services["web server"].log
            raise Problem(f"The first page answered {status}. {log} ends with:\n{last_lines(log)}")

    def first_page_status(self) -> int | None:
        """Return the status of the first page; None while nothing answers."""
        server = HTTPConnection(HOST, self.port, timeout=10)
        with suppress(OSError, HTTPException), closing(server):
            server.request("GET", "/")
            return server.getresponse().status
        return None

    def announce(self, began: float) -> None:
        logins = self.folder / "logins.txt"
        print_now(f"\nSoftmark is running at {self.url} (after {time.monotonic() - began:.1f} s)\n")
        print_now(logins.read_text().rstrip())
        print_now(
            f"\nThe admin is at {self.url}admin/. Emails aren't sent, but written to "
            f"{self.folder}/logs/web.log.\nEverything is in {self.folder}: delete it to start "
            "again. Ctrl-C stops the site."
        )
        self.write_ready_file()

    def write_ready_file(self) -> None:
        """Write the address, the processes and the settings, for other programs to read."""
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
        """Restart services that have ended. Return whether there was one."""
        restarted = [service.look_after() for service in self.services.values()]
        return any(restarted)

    def run(self) -> NoReturn:
        while True:
            if self.look_after():
                self.write_ready_file()
            self.announce_class()
            time.sleep(0.2)

    def stop(self) -> None:
        """Stop all services, the broker last. Kill those that do not end in time."""
        print_now("\nStopping …")
        self.ready_file.unlink(missing_ok=True)
        if self.filling:
            self.filling.terminate()
        last = self.services.pop("broker", None)
        with suppress(KeyboardInterrupt):  # a second Ctrl-C: at once
            deadline = time.monotonic() + 12
            for service in self.services.values():
                service.stop()
            for service in self.services.values():
                service.wait(deadline)
            if last:
                last.stop()
                last.wait(time.monotonic() + 3)
        self.group.kill()
        print_now("Stopped. Your data is kept, and the next start takes a few seconds.")


if __name__ == "__main__":
    main()
