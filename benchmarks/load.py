"""Simulate an exam hall: all students start at once, save every few seconds, submit at the end.

    SERVICE_DATABASE_URL=postgresql://… SERVICE_REDIS_URL=redis://… make load STUDENTS=300

The whole site runs on a database of its own on that server. Everybody starts within ten seconds,
saves a question every four, reads the summary and submits within the last ten, waits for the
marks, and reads the results. Afterwards every acknowledged save must be in the submitted answers,
and every submission must be marked once.
"""

import argparse
import asyncio
import json
import logging
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DATABASE = "softmark_load"
QUIZ = "attention-and-transformers"

STARTING = 10.0  # seconds in which all start
BETWEEN_SAVES = 4.0
WORKING = 40.0
SUBMITTING = 10.0  # seconds in which all submit
BETWEEN_LOOKS = 0.5  # as the page that waits for its marks does at first


def main() -> None:
    parser = argparse.ArgumentParser(prog="make load", description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=300)
    options = parser.parse_args()
    for name in ("SERVICE_DATABASE_URL", "SERVICE_REDIS_URL"):
        if not os.environ.get(name):
            sys.exit(f"Set {name}: a hall needs real servers.")
    with run_site() as (url, pids):
        cookies = make_students(options.students)
        fill_stock(options.students)
        hall = Hall(url)
        before = {pid: seconds_of(pid) for pid in pids}
        began, own = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF)
        asyncio.run(hall.exam(cookies))
        elapsed = time.monotonic() - began
        used = resource.getrusage(resource.RUSAGE_SELF)
        generator = used.ru_utime + used.ru_stime - own.ru_utime - own.ru_stime
        print(f"{options.students} students on {os.process_cpu_count()} processors:")
        hall.report()
        print(f"processors: {generator / elapsed:.2f} of one for the students themselves,", end=" ")
        site_seconds = sum(seconds_of(pid) - before[pid] for pid in pids)
        print(f"{site_seconds / elapsed:.2f} for web and worker")
        check(hall)


# The site ------------------------------------------------------------------------------------


@contextmanager
def run_site() -> Iterator[tuple[str, list[int]]]:
    """Run the whole site on a new database. Yield its address, and the processes to count."""
    import psycopg

    server, _, _ = os.environ["SERVICE_DATABASE_URL"].rpartition("/")
    with (
        psycopg.connect(os.environ["SERVICE_DATABASE_URL"], autocommit=True) as admin,
        tempfile.TemporaryDirectory() as folder,
    ):
        admin.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
        admin.execute(f"CREATE DATABASE {DATABASE}")
        data = Path(folder) / "demo"
        command = [sys.executable, "-m", "scripts.demo", "--port=0", f"--data={data}"]
        command += [
            f"--database-url={server}/{DATABASE}",
            f"--redis-url={os.environ['SERVICE_REDIS_URL']}",
        ]
        demo = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
        try:
            ready = data / "ready.json"
            while not ready.exists():
                if demo.poll() is not None:
                    sys.exit("The site did not start.")
                time.sleep(0.1)
            found = json.loads(ready.read_text())
            os.environ |= found["environment"] | {"SOFTMARK_DATABASE_SECONDS": "0"}
            import django

            django.setup()
            logging.getLogger("httpx").setLevel(logging.WARNING)
            yield found["url"].rstrip("/"), family_of(demo.pid)
        finally:
            demo.terminate()
            demo.wait(30)
            admin.execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")


def family_of(pid: int) -> list[int]:
    """Return a process and all its descendants."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(each for child in children for each in family_of(int(child)))]


def seconds_of(pid: int) -> float:
    """Return the processor's seconds that a process has used; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def make_students(count: int) -> list[str]:
    """Create students and log them in. Return their cookies."""
    from django.conf import settings
    from django.contrib.auth import get_user_model
    from django.test import Client

    cookies = []
    for number in range(count):
        student = get_user_model().objects.create_user(f"hall-{number}@softmark.example")
        client = Client()
        client.force_login(student)
        cookies.append(client.cookies[settings.SESSION_COOKIE_NAME].value)
    return cookies


def fill_stock(students: int) -> None:
    """Stock a variant of each slot for each student, as there are an hour before a quiz opens."""
    from django.db import connection

    from quizzes.models import Quiz

    Quiz.objects.exclude(slug=QUIZ).update(published=False)
    connection.close()
    with ProcessPoolExecutor() as pool:
        list(pool.map(draw_stock, [students] * (os.process_cpu_count() or 1)))


def draw_stock(students: int) -> None:
    import django

    django.setup()
    from django.conf import settings

    from quizzes.delivery.services.stocking import stock_variants

    settings.VARIANTS_IN_STOCK = students
    while stock_variants():
        pass


# The students --------------------------------------------------------------------------------


@dataclass
class Sitting:
    """A student's attempt, and its acknowledged saves."""

    attempt: int
    fields: dict[int, list[str]]
    token: str
    revisions: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    acknowledged: dict[tuple[int, str], str] = field(default_factory=dict)
    submitted: float = 0.0


class Hall:
    """The requests of all students, and their seconds by kind."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []
        self.resets: list[str] = []
        self.sittings: list[Sitting] = []
        self.last_submit = self.last_mark = 0.0

    async def exam(self, cookies: list[str]) -> None:
        """Run the whole exam: all students at once, each with their own timing."""
        begins = time.monotonic()
        await asyncio.gather(*(self.student(cookie, begins) for cookie in cookies))

    async def student(self, cookie: str, begins: float) -> None:
        import httpx

        async with httpx.AsyncClient(
            base_url=self.url,
            timeout=60,
            cookies={"sessionid": cookie},
            headers={"Referer": self.url},
            verify=False,  # no TLS here, and its certificates take long to load for each
            # As the proxy does: sooner than the server's own minute.
            limits=httpx.Limits(keepalive_expiry=30),
        ) as client:
            await asyncio.sleep(random.uniform(0, STARTING))
            sitting = await self.start(client)
            if sitting is None:
                return
            self.sittings.append(sitting)
            ends = begins + STARTING + WORKING + random.uniform(0, SUBMITTING)
            while (left := ends - time.monotonic()) > 0:
                await asyncio.sleep(min(left, random.uniform(0.8, 1.2) * BETWEEN_SAVES))
                await self.save(client, sitting)
            await self.hand_in(client, sitting)

    async def start(self, client: Any) -> Sitting | None:
        page = await self.sent("quiz", lambda: client.get(f"/quizzes/{QUIZ}/"))
        form = {"csrfmiddlewaretoken": token_in(page.text)}
        began = time.perf_counter()
        start = f"/quizzes/{QUIZ}/start/"
        answer = await self.sent("start", lambda: client.post(start, data=form))
        while not (where := answer.headers.get("Location", "")).startswith("/attempts/"):
            if answer.status_code >= 400:
                self.errors.append(f"start: {answer.status_code}")
                return None
            if answer.status_code == 200:  # numbers are being drawn
                await asyncio.sleep(BETWEEN_LOOKS)
            answer = await self.sent("start", lambda: client.get(start))
        self.seconds["start"].append(time.perf_counter() - began)
        page = await self.timed("page", lambda: client.get(where))
        attempt = int(where.strip("/").split("/")[1])
        return Sitting(attempt, fields_in(page.text), token_in(page.text))

    async def save(self, client: Any, sitting: Sitting) -> None:
        position = random.choice(list(sitting.fields))
        typed = {name: f"{random.uniform(-9, 9):.3f}" for name in sitting.fields[position]}
        revision = sitting.revisions[position]
        body = {"revision": revision, "token": random.randbytes(12).hex(), "fields": typed}
        path = f"/attempts/{sitting.attempt}/items/{position}/draft/"
        headers = {"X-CSRFToken": sitting.token}
        answer = await self.timed("save", lambda: client.post(path, json=body, headers=headers))
        if answer.status_code == 200:
            sitting.revisions[position] += 1
            sitting.acknowledged |= {(position, name): text for name, text in typed.items()}

    async def hand_in(self, client: Any, sitting: Sitting) -> None:
        path = f"/attempts/{sitting.attempt}/"
        summary = await self.timed("summary", lambda: client.get(f"{path}submit/"))
        form = {"csrfmiddlewaretoken": token_in(summary.text)}
        submitted = time.perf_counter()
        await self.timed("submit", lambda: client.post(f"{path}submit/", data=form))
        self.last_submit = max(self.last_submit, time.perf_counter())
        pause = BETWEEN_LOOKS
        while True:
            answer = await self.timed("status", lambda: client.get(f"{path}status/"))
            if answer.status_code == 200 and answer.json()["state"] == "graded":
                break
            if time.perf_counter() - submitted > 60:
                self.errors.append("not marked after 60 s")
                return
            await asyncio.sleep(pause * random.uniform(0.8, 1.2))
            pause = min(2 * pause, 4)
        await self.timed("results", lambda: client.get(f"{path}results/"))

    async def sent(self, name: str, request: Callable[[], Any]) -> Any:
        """Send a request, again if the connection breaks, as a page does. Return its answer."""
        import httpx

        for pause in (1, 2, 4):
            try:
                return await request()
            except httpx.TransportError as trouble:
                self.resets.append(f"{name}: {type(trouble).__name__}")
                await asyncio.sleep(pause)
        return await request()

    async def timed(self, name: str, request: Callable[[], Any]) -> Any:
        began = time.perf_counter()
        answer = await self.sent(name, request)
        self.seconds[name].append(time.perf_counter() - began)
        if answer.status_code >= 400:
            self.errors.append(f"{name}: {answer.status_code}")
        return answer

    def report(self) -> None:
        print("| request | times | p50 ms | p95 ms | p99 ms |")
        print("| --- | --: | --: | --: | --: |")
        marked = submit_to_marked()
        for name, seconds in [*self.seconds.items(), ("submit to marked", marked)]:
            cuts = statistics.quantiles(seconds, n=100)
            shown = " | ".join(f"{cuts[at] * 1000:.0f}" for at in (49, 94, 98))
            print(f"| {name} | {len(seconds)} | {shown} |")
        print(f"errors: {len(self.errors)} {sorted(set(self.errors))}")
        print(f"connections that broke: {len(self.resets)} {sorted(set(self.resets))}")


def token_in(html: str) -> str:
    """Return the CSRF token of a page with a form."""
    return html.partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]


def fields_in(html: str) -> dict[int, list[str]]:
    """Return the names of a page's cells, by question."""
    found: dict[int, list[str]] = defaultdict(list)
    for piece in html.split('<input type="text" name="item-')[1:]:
        position, _, name = piece.partition('"')[0].partition("-")
        found[int(position)].append(name)
    return dict(found)


# Afterwards ----------------------------------------------------------------------------------


def submit_to_marked() -> list[float]:
    """Return the seconds from the arrival of each submission to its marks, by the database."""
    from quizzes.models import Submission

    moments = Submission.objects.filter(graded_at__isnull=False)
    return [
        (graded - received).total_seconds()
        for received, graded in moments.values_list("received_at", "graded_at")
    ]


def check(hall: Hall) -> None:
    """Check that no acknowledged save is lost, and that everything is marked once."""
    from django.db.models import Count, Max

    from quizzes.models import Answer, Grade, Submission
    from quizzes.problems.answers import flatten

    lost = 0
    for sitting in hall.sittings:
        for answer in Answer.objects.filter(item__attempt=sitting.attempt).select_related("item"):
            draft = flatten(answer.item.shown, answer.raw)
            for (position, name), text in sitting.acknowledged.items():
                if position == answer.item.position and draft.get(name) != text:
                    lost += 1
    saves = sum(len(sitting.acknowledged) for sitting in hall.sittings)
    submissions = Submission.objects.count()
    graded = Submission.objects.filter(state=Submission.State.GRADED).count()
    twice = Grade.objects.values("answer").annotate(n=Count("pk")).filter(n__gt=1).count()
    spans = Submission.objects.aggregate(last=Max("received_at"), marked=Max("graded_at"))
    late = (spans["marked"] - spans["last"]).total_seconds()
    print(f"acknowledged fields: {saves}, lost: {lost}")
    print(f"submissions: {submissions}, marked: {graded}, answers marked twice: {twice}")
    print(f"all marked {late:.1f} s after the last submit")


if __name__ == "__main__":
    main()
