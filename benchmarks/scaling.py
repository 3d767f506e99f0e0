"""Measure the load that web processes and workers carry, and what limits them.

    python -m scripts.servers make bench scaling

That brings a PostgreSQL and a Redis of its own; SERVICE_DATABASE_URL and SERVICE_REDIS_URL name
others. The same exam runs with 1, 2 and 4 processes of each kind: all students begin at once, save
for some seconds as fast as they are answered, and hand in; then a heap of submissions is marked.
The processor's time of each part gives the arithmetic for larger halls. Both tables go into
docs/scaling.md.
"""

import argparse
import asyncio
import json
import logging
import os
import re
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from itertools import batched
from pathlib import Path

from benchmarks import grading
from benchmarks.load import QUIZ, family_of, fields_in, fill_stock, make_students
from scripts.demo import Demo, free_port
from scripts.processes import Group

COUNTS = (1, 2, 4)
SAVING = 6.0  # seconds
STUDENTS = 32
HEAP = 500  # submissions
CORES = os.process_cpu_count() or 1

REPORT = Path(__file__).resolve().parent.parent / "docs/scaling.md"
BUSY = " **That was much: measure again when the machine is quiet.**"
BEGINS, ENDS = "<!-- written by make bench scaling -->", "<!-- until here -->"

# The hall in the arithmetic: its minutes, and seconds of starts, between saves, of handing in.
MINUTES, STARTING, BETWEEN_SAVES, HANDING_IN = 23, 120, 10, 120
HALLS = (1_000, 10_000, 100_000)
FULL = 0.6  # the share of a processor to plan with


def main() -> None:
    parser = argparse.ArgumentParser(prog="make bench scaling", description=__doc__.splitlines()[0])
    parser.add_argument("--counts", type=int, nargs="+", default=COUNTS)
    chosen = parser.parse_args()
    for name in ("SERVICE_DATABASE_URL", "SERVICE_REDIS_URL"):
        if not os.environ.get(name):
            sys.exit(f"Set {name}, or run: python -m scripts.servers make bench scaling")
    logging.disable(logging.INFO)
    runs = [(web, workers) for web in chosen.counts for workers in chosen.counts]
    measured = []
    with grading.fresh_database(os.environ["SERVICE_DATABASE_URL"]), prepare_site() as demo:
        cookies = make_students(STUDENTS * len(runs))
        drawing = drawing_seconds(lambda: fill_stock(len(cookies)))
        grading.fill(HEAP)
        for (web, workers), hall in zip(runs, batched(cookies, STUDENTS, strict=True), strict=True):
            with running(demo, web, workers):
                measured.append(Run(web, workers, demo).measure(hall))
            print(measured[-1].line(), flush=True)
        write(measured, drawing)


# The site ------------------------------------------------------------------------------------


@contextmanager
def prepare_site() -> Iterator[Demo]:
    """Make the site's database and files, with nothing running yet, for this process too."""
    server, _, _ = os.environ["SERVICE_DATABASE_URL"].rpartition("/")
    # Nobody draws or sweeps in the meantime.
    os.environ |= {"SOFTMARK_SWEEP_SECONDS": "3600", "SOFTMARK_STOCK": "1"}
    # This process queries the database inside an event loop, between two of its parts.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with tempfile.TemporaryDirectory() as name, Group() as group:
        (Path(name) / "logs").mkdir()
        options = Namespace(
            database_url=f"{server}/{grading.DATABASE}",
            redis_url=os.environ["SERVICE_REDIS_URL"],
            web=1,
            workers=1,
        )
        demo = Demo(Path(name), free_port("0"), options, group)
        demo.prepare()
        os.environ |= demo.settings | {"SOFTMARK_DATABASE_SECONDS": "0"}
        import django

        django.setup()
        yield demo


@contextmanager
def running(demo: Demo, web: int, workers: int) -> Iterator[None]:
    demo.options.web, demo.options.workers = web, workers
    demo.start_web_server()
    demo.start_worker()
    demo.wait_until_it_answers()
    while " ready." not in demo.services["worker"].log.read_text():
        demo.look_after()
        time.sleep(0.1)
    try:
        yield
    finally:
        for service in demo.services.values():
            service.stop()
        for service in demo.services.values():
            service.wait(time.monotonic() + 30)


def drawing_seconds(fill: Callable[[], None]) -> float:
    """Return the processor's seconds to draw and prove a variant."""
    from quizzes.models import Variant

    before, began = Variant.objects.count(), os.times()
    fill()
    ended = os.times()
    used = sum(ended[:4]) - sum(began[:4])
    return used / max(1, Variant.objects.count() - before)


# The use of processors -----------------------------------------------------------------------


@dataclass
class ProcessorUse:
    """The processors' seconds in a part of a run, by user."""

    seconds: float = 0.0
    web: float = 0.0
    worker: float = 0.0
    database: float = 0.0
    students: float = 0.0
    machine: float = 0.0

    @property
    def others(self) -> float:
        """The share of one processor that other processes used."""
        known = self.web + self.worker + self.database + self.students
        return max(0.0, self.machine - known) / self.seconds

    def share(self, name: str) -> float:
        return getattr(self, name) / self.seconds

    def full(self, web: int, workers: int) -> str:
        """Return the part of the site or the machine that is used up."""
        if self.share("machine") > 0.9 * CORES:
            return "processors"
        if self.share("web") > 0.85 * min(web, CORES):
            return "web"
        if self.share("worker") > 0.85 * min(workers, CORES):
            return "workers"
        return "nothing"


class Meter:
    """A meter of the processors' use, from its start until it is read."""

    def __init__(self, demo: Demo) -> None:
        self.demo = demo
        self.before, self.began = self._now(), time.monotonic()

    def read(self) -> ProcessorUse:
        seconds, now = time.monotonic() - self.began, self._now()
        return ProcessorUse(
            seconds, *(after - before for after, before in zip(now, self.before, strict=True))
        )

    def _now(self) -> tuple[float, ...]:
        services = self.demo.services
        return (
            sum(map(seconds_of, family_of(services["web server"].process.pid))),
            sum(map(seconds_of, family_of(services["worker"].process.pid))),
            sum(map(seconds_of, servers_of_database())),
            sum(os.times()[:2]),
            machine_seconds(),
        )


def seconds_of(pid: int) -> float:
    """Return the processor's seconds of a process and of its ended children."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def machine_seconds() -> float:
    """Return the seconds that all processors have been busy."""
    ticks = [int(each) for each in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")  # idle, waiting for disks


def servers_of_database() -> set[int]:
    """Return PostgreSQL's processes for this database, if it runs on this machine.

    Their parent is among them: it counts the ended ones, as a worker's connection ends with each
    task.
    """
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() OR datname IS NULL"
        )
        pids = {pid for (pid,) in cursor.fetchall()}
    return pids | {parent for pid in pids if (parent := parent_of(pid))}


def parent_of(pid: int) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def memory_of(pid: int, children: int) -> float:
    """Return megabytes for each of `children` processes, with their share of common memory."""
    rolled = [Path(f"/proc/{each}/smaps_rollup").read_text() for each in family_of(pid)]
    found = [int(re.search(r"^Pss: +(\d+)", text, re.MULTILINE)[1]) for text in rolled]
    return sum(found) / 1000 / children


# One run -------------------------------------------------------------------------------------


@dataclass
class Run:
    """A run with some web processes and workers, and its figures."""

    web: int
    workers: int
    demo: Demo
    saves: int = 0
    marked: int = 0
    used: dict[str, ProcessorUse] = field(default_factory=dict)
    megabytes: tuple[float, float] = (0.0, 0.0)

    def measure(self, cookies: tuple[str, ...]) -> "Run":
        asyncio.run(self.hall(cookies))
        services = self.demo.services
        self.megabytes = (
            memory_of(services["web server"].process.pid, self.web),
            memory_of(services["worker"].process.pid, self.workers),
        )
        self.mark_heap()
        return self

    async def hall(self, cookies: tuple[str, ...]) -> None:
        students = [Student(self.demo.port, cookie) for cookie in cookies]
        with self.metered("start"):
            await asyncio.gather(*(student.start() for student in students))
        with self.metered("save"):
            ends = time.monotonic() + SAVING
            await asyncio.gather(*(student.save_until(ends) for student in students))
        self.saves = sum(student.saves for student in students)
        with self.metered("hand in"):
            await asyncio.gather(*(student.hand_in() for student in students))
        for student in students:
            student.close()

    @contextmanager
    def metered(self, part: str) -> Iterator[None]:
        meter = Meter(self.demo)
        yield
        self.used[part] = meter.read()

    def mark_heap(self) -> None:
        from quizzes.models import Submission
        from quizzes.tasks import grade

        grading.make_waiting()
        self.marked = Submission.objects.count()
        with self.metered("mark"):
            for _ in range(self.workers):
                grade.delay()
            while Submission.objects.filter(state=Submission.State.WAITING).exists():
                time.sleep(0.01)

    @property
    def saves_a_second(self) -> float:
        return self.saves / self.used["save"].seconds

    @property
    def marks_a_second(self) -> float:
        return self.marked / self.used["mark"].seconds

    @property
    def others(self) -> float:
        return max(used.others for used in self.used.values())

    def cost(self, part: str, who: str) -> float:
        """Return the processor's milliseconds for one start, save, hand-in or mark."""
        times = {"save": self.saves, "mark": self.marked}.get(part, STUDENTS)
        return getattr(self.used[part], who) / times * 1000

    def line(self) -> str:
        save, mark = self.used["save"], self.used["mark"]
        cells = [
            f"{self.web} × {self.workers}",
            f"{self.saves_a_second:.0f}",
            *(f"{save.share(who):.2f}" for who in ("web", "database", "students")),
            save.full(self.web, self.workers),
            f"{self.marks_a_second:.0f}",
            *(f"{mark.share(who):.2f}" for who in ("worker", "database")),
            mark.full(self.web, self.workers),
            f"{self.others:.2f}",
        ]
        return f"| {' | '.join(cells)} |"


class Student:
    """A student at the quiz, with a connection that costs this process next to nothing."""

    def __init__(self, port: int, session: str) -> None:
        self.port, self.saves, self.page = port, 0, ""
        self.cells: dict[int, list[str]] = {}
        token = "t" * 32
        self.head = (
            f"Host: 127.0.0.1:{port}\r\nCookie: sessionid={session}; csrftoken={token}\r\n"
            f"X-CSRFToken: {token}\r\n"
        )
        self.writer: asyncio.StreamWriter | None = None

    async def ask(self, method: str, path: str, body: str = "", kind: str = "") -> tuple[str, str]:
        """Send a request. Return the answer's text, and the address it redirects to."""
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        about = (
            f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n" if method == "POST" else ""
        )
        self.writer.write(f"{method} {path} HTTP/1.1\r\n{self.head}{about}\r\n{body}".encode())
        first, *lines = (await self.reader.readuntil(b"\r\n\r\n")).decode().splitlines()
        headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in lines)
        }
        text = await self.reader.readexactly(int(headers["content-length"]))
        if headers.get("connection") == "close":
            self.close()
        status = int(first.split()[1])
        if status >= 400:
            raise RuntimeError(f"{method} {path} answered {status}")
        return text.decode(), headers.get("location", "")

    async def post(self, path: str) -> str:
        _, leads_to = await self.ask("POST", path, "a=b", "application/x-www-form-urlencoded")
        return leads_to

    def close(self) -> None:
        if self.writer:
            self.writer.close()
            self.writer = None

    async def start(self) -> None:
        await self.ask("GET", f"/quizzes/{QUIZ}/")
        self.page = await self.post(f"/quizzes/{QUIZ}/start/")
        text, _ = await self.ask("GET", self.page)
        self.cells = fields_in(text)

    async def save_until(self, ends: float) -> None:
        positions = list(self.cells)
        while time.monotonic() < ends:
            round_, which = divmod(self.saves, len(positions))
            position = positions[which]
            body = {
                "revision": round_,
                "token": f"change-{self.saves}",
                "fields": dict.fromkeys(self.cells[position], f"{self.saves % 97}.25"),
            }
            path = f"{self.page}items/{position}/draft/"
            await self.ask("POST", path, json.dumps(body), "application/json")
            self.saves += 1

    async def hand_in(self) -> None:
        await self.ask("GET", f"{self.page}submit/")
        await self.post(f"{self.page}submit/")
        while '"graded"' not in (await self.ask("GET", f"{self.page}status/"))[0]:
            await asyncio.sleep(0.5)
        await self.ask("GET", f"{self.page}results/")


# The report ----------------------------------------------------------------------------------


def write(runs: list[Run], drawing: float) -> None:
    """Write both tables into the report."""
    text = REPORT.read_text()
    before, _, rest = text.partition(BEGINS)
    _, _, after = rest.partition(ENDS)
    REPORT.write_text(f"{before}{BEGINS}\n{tables(runs, drawing)}{ENDS}{after}")


def tables(runs: list[Run], drawing: float) -> str:
    # The run with the most saves spent the least on waiting for the machine.
    best = max(runs, key=lambda run: run.saves_a_second)
    lines = [
        "",
        f"Measured on {date.today().isoformat()}, on {CORES} processors that PostgreSQL, Redis and "
        f"{STUDENTS} students share. Shares are of one processor; *others* is what else ran on the "
        "machine meanwhile." + (BUSY if max(run.others for run in runs) > 0.3 else ""),
        "",
        "| web × workers | saves a second | web | PostgreSQL | students | full "
        "| marked a second | workers | PostgreSQL | full | others |",
        "| --- | --: | --: | --: | --: | --- | --: | --: | --: | --- | --: |",
        *(run.line() for run in runs),
        "",
        f"What each costs, in milliseconds of a processor, in {best.web} × {best.workers}, where "
        "most was saved:",
        "",
        "| | web | worker | PostgreSQL |",
        "| --- | --: | --: | --: |",
        *cost_lines(best),
        f"| a variant, drawn and proved ahead | | {drawing * 1000:.1f} | |",
        "",
        f"A web process takes {best.megabytes[0]:.0f} MB and a worker process "
        f"{best.megabytes[1]:.0f} MB, with what they share among them.",
        "",
        f"From that, a hall in which all start within {STARTING} s, save every {BETWEEN_SAVES} s "
        f"and submit within {HANDING_IN} s; processors that are planned to be used to "
        f"{FULL:.0%}:",
        "",
        "| students | saves a second | processors for web | for PostgreSQL | for workers "
        "| drawn ahead, processor hours |",
        "| --: | --: | --: | --: | --: | --: |",
        *(hall_line(best, students, drawing) for students in HALLS),
        "",
    ]
    return "\n".join(lines)


PARTS = {
    "start": "a start: the quiz, its start, the attempt’s page",
    "save": "a save",
    "hand in": "a submission: the summary, the submit, looks, the results",
    "mark": "marking one of many that wait",
}


def cost_lines(run: Run) -> list[str]:
    return [
        f"| {title} | " + " | ".join(f"{run.cost(part, who):.1f}" for who in WHO) + " |"
        for part, title in PARTS.items()
    ]


WHO = ("web", "worker", "database")


def hall_line(run: Run, students: int, drawing: float) -> str:
    """Return a table line of a hall's processors at its busiest; saves go on in starts and ends."""

    def processors(who: str) -> float:
        saving = students / BETWEEN_SAVES * run.cost("save", who)
        starting = students / STARTING * run.cost("start", who)
        # The measured cost of handing in includes marking.
        ending = students / HANDING_IN * run.cost("hand in", who)
        return (saving + max(starting, ending)) / 1000 / FULL

    from quizzes.models import Quiz

    numeric = Quiz.objects.get(slug=QUIZ).slots.exclude(family="").count()
    hours = students * numeric * drawing / 3600
    web, database, workers = (processors(who) for who in ("web", "database", "worker"))
    return (
        f"| {students:,} | {students / BETWEEN_SAVES:,.0f} | {web:,.1f} | {database:,.1f} "
        f"| {workers:,.1f} | {hours:,.1f} |"
    )


if __name__ == "__main__":
    main()
