"""Measure how much a site slows down after years of use.

Two PostgreSQL databases, one with the content alone and one that `manage.py fill` has filled, with
classes by `fill_classes`. In turns, students take a quiz and practise in both, and each request is
timed; then, in the filled one, every page of classes is requested, and every list of the admin, in
every order, with every filter, searched and paged through.

    SERVICE_DATABASE_URL=postgresql://… SERVICE_REDIS_URL=redis://… make bench growth
"""

import argparse
import json
import math
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.admin_lists import list_addresses, staff_client
from benchmarks.class_pages import instructor_of, pages
from benchmarks.requests import ROOT, fields_of, run, save

ATTEMPTS = 200_000
STUDENTS = 30
CLASSES = 200
EVENTS = 1_000_000
EMPTY, FILLED = "softmark_growth_empty", "softmark_growth_filled"
SLOW_MS = 300
# How often each page of a class is requested.
REQUESTS_PER_PAGE = 20
# Slow pages are requested again, as other work on the machine may have delayed them.
REPEATS_IF_SLOW = 8
QUIZZES = ("attention-and-transformers", "attention-foundations")
PRACTICE = "/practice/family/cosine/"
DOCUMENT = ROOT / "docs" / "performance.md"
HEADING = "## Growth"
OF_CLASSES = "## Pages of classes"


def main() -> None:
    options = read_options()
    if options.measure:
        setup_django()
        MEASURED[options.measure](options)
        return
    for name in ("SERVICE_DATABASE_URL", "SERVICE_REDIS_URL"):
        if not os.environ.get(name):
            sys.exit(f"Set {name}: this benchmark needs real servers.")
    with tempfile.TemporaryDirectory() as folder, databases(options, folder) as sites:
        texts = {
            heading: "\n".join(lines)
            for heading, lines in measure_report(options, sites).items()
            if lines
        }
    print("\n".join(texts.values()))
    if options.write:
        for heading, text in texts.items():
            write(heading, text)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench growth", description=__doc__)
    parser.add_argument("--attempts", type=int, default=ATTEMPTS)
    parser.add_argument("--students", type=int, default=STUDENTS)
    parser.add_argument("--classes", type=int, default=CLASSES)
    parser.add_argument("--events", type=int, default=EVENTS)
    parser.add_argument(
        "--only", choices=["requests", "pages", "lists"], help="one of the three alone"
    )
    parser.add_argument(
        "--keep", action="store_true", help="keep the filled database, and take it next time"
    )
    parser.add_argument("--write", action="store_true", help=f"into {DOCUMENT.name}")
    parser.add_argument("--measure", choices=list(MEASURED), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write and options.only in ("requests", "lists"):
        parser.error("These two are written down together: leave --only out.")
    return options


@contextmanager
def databases(options: argparse.Namespace, folder: str) -> Iterator[dict[str, dict[str, str]]]:
    """Make and fill both databases. Yield their environments by name."""
    sites = {name: environment_of(name, folder) for name in (EMPTY, FILLED)}
    there = ask("SELECT datname FROM pg_database")
    kept = options.keep and (FILLED,) in there
    try:
        for name in (EMPTY,) if kept else (EMPTY, FILLED):
            drop(name)
            ask(f"CREATE DATABASE {name}")
        for environment in sites.values():
            manage(environment, "migrate", "--verbosity=0")
            manage(environment, "load_content")
        if not kept:
            print(f"Filling with {options.attempts} attempts …", file=sys.stderr)
            manage(sites[FILLED], "fill", f"--attempts={options.attempts}")
            added = (f"--classes={options.classes}", f"--events={options.events}")
            manage(sites[FILLED], "fill_classes", *added)
            ask("VACUUM ANALYZE", FILLED)
        manage(sites[EMPTY], "collectstatic", "--no-input", "-v0")
        yield sites
    finally:
        for name in (EMPTY,) if options.keep else (EMPTY, FILLED):
            drop(name)


def environment_of(name: str, folder: str) -> dict[str, str]:
    return os.environ | {
        "DATABASE_URL": address_of(name),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "OPENBLAS_NUM_THREADS": "1",
        "REDIS_URL": os.environ["SERVICE_REDIS_URL"],
        "SOFTMARK_ALLOWED_HOSTS": "testserver",
        "SOFTMARK_DATA": folder,
        "SOFTMARK_DATABASE_SECONDS": "0",
        "SOFTMARK_HTTPS": "0",
        "SOFTMARK_SECRET_KEY": secrets.token_hex(),
    }


def address_of(name: str) -> str:
    server, _, _ = os.environ["SERVICE_DATABASE_URL"].rpartition("/")
    return f"{server}/{name}"


def manage(environment: dict[str, str], *command: str) -> None:
    run([sys.executable, "manage.py", *command], cwd=ROOT, env=environment)


def measurement_command(what: str, *options: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.growth", f"--measure={what}", *options]


def measure_report(
    options: argparse.Namespace, sites: dict[str, dict[str, str]]
) -> dict[str, list[str]]:
    """Return the lines of the report on the wanted parts, by heading."""
    wanted = options.only
    growth: list[str] = []
    classes: list[str] = []
    if wanted in (None, "requests"):
        timings = measure_in_turns(options.students, sites)
        growth += format_requests(options.students, timings, size_of(FILLED))
    if wanted in (None, "pages"):
        classes += format_pages(run_measurement("pages", sites[FILLED]), size_of(FILLED)[0])
    if wanted in (None, "lists"):
        growth += format_lists(run_measurement("lists", sites[FILLED]))
    return {HEADING: growth, OF_CLASSES: classes}


def run_measurement(what: str, environment: dict[str, str]) -> Any:
    return json.loads(run(measurement_command(what), cwd=ROOT, env=environment).splitlines()[-1])


def measure_in_turns(
    students: int, sites: dict[str, dict[str, str]]
) -> dict[str, dict[str, list[float]]]:
    """Return milliseconds by site and request; students take turns between the sites."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    command = measurement_command("requests", f"--students={students + 1}")
    processes = {
        name: subprocess.Popen(command, cwd=ROOT, env=environment, **pipes)
        for name, environment in sites.items()
    }
    found: dict[str, dict[str, list[float]]] = {name: {} for name in sites}
    try:
        for number in range(students + 1):
            for name, process in processes.items():
                process.stdin.write("\n")
                process.stdin.flush()
                line = process.stdout.readline()
                if not line:
                    sys.exit("A process that measures has ended.")
                # The first student's requests warm up the process.
                for request, ms in json.loads(line) if number else ():
                    found[name].setdefault(request, []).append(ms)
    finally:
        for process in processes.values():
            process.stdin.close()
            process.wait()
    return found


def ask(statement: str, database: str = "postgres") -> list[tuple]:
    import psycopg

    with psycopg.connect(address_of(database), autocommit=True) as connection:
        found = connection.execute(statement)
        return found.fetchall() if found.description else []


def drop(name: str) -> None:
    ask(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def size_of(name: str) -> tuple[int, int]:
    """Return the attempts and the bytes of a database."""
    [(attempts,)] = ask("SELECT count(*) FROM quizzes_attempt", name)
    [(size,)] = ask(f"SELECT pg_database_size('{name}')")
    return attempts, size


# The report ---------------------------------------------------------------------------------------


def format_requests(
    students: int, timings: dict[str, dict[str, list[float]]], size: tuple[int, int]
) -> Iterator[str]:
    attempts, bytes_taken = size
    yield (
        f"A database with {attempts:,} attempts, {bytes_taken / 1e9:.1f} GB, beside an empty one: "
        f"median milliseconds by the clock for {students} students on each, taking turns. "
        "`make bench growth ARGS=--write` measures this and writes it here.\n"
    )
    yield "| request | empty | filled | ratio |\n| --- | --: | --: | --: |"
    for name in timings[EMPTY]:
        empty, filled = (statistics.median(timings[site][name]) for site in (EMPTY, FILLED))
        yield f"| {name} | {empty:.1f} | {filled:.1f} | {filled / empty:.2f} |"


def format_pages(found: dict[str, Any], attempts: int) -> Iterator[str]:
    both = [each for each in found["pages"] if each["largest"] and each["others"]]
    timed = sorted(both, key=lambda each: -p95(each["largest"]))
    slow = [each for each in timed if max(p95(each["largest"]), p95(each["others"])) > SLOW_MS]
    yield (
        f"{found['classes']} classes with {found['members']:,} members, {attempts:,} attempts and "
        f"{found['events']:,} events. Times are milliseconds by the clock, "
        f"{REQUESTS_PER_PAGE} of each page in the largest class, which has "
        f"{found['largest']:,} students, and one in each of {REQUESTS_PER_PAGE} others, which "
        f"have {found['others']} each. The 95th percentile was above {SLOW_MS} ms "
        f'for {len(slow)} of {len(timed)} pages. `make bench growth ARGS="--only pages --write"` '
        "measures this and writes it here.\n"
    )
    yield "| page | largest: median | p95 | others: median | p95 | queries |"
    yield "| --- | --: | --: | --: | --: | --: |"
    for each in timed:
        largest, others = each["largest"], each["others"]
        yield (
            f"| {each['page']} | {statistics.median(largest):.0f} | {p95(largest):.0f} | "
            f"{statistics.median(others):.0f} | {p95(others):.0f} | {each['queries']} |"
        )
    if found["left_out"]:
        yield f"\nNot measured: {', '.join(found['left_out'])}."


def p95(times: list[float]) -> float:
    return sorted(times)[math.ceil(0.95 * len(times)) - 1]


def format_lists(lists_found: list[dict[str, Any]]) -> Iterator[str]:
    slow = [each for each in lists_found if each["ms"] > SLOW_MS]
    yield (
        f"\nOf {len(lists_found)} pages of the admin's lists, {len(slow)} took longer than "
        f"{SLOW_MS} ms. The slowest page of each list, by the fastest of several requests:\n"
    )
    yield "| list | asked for | ms | queries |\n| --- | --- | --: | --: |"
    slowest: dict[str, dict[str, Any]] = {}
    for each in sorted(lists_found, key=lambda each: -each["ms"]):
        slowest.setdefault(each["list"], each)
    for each in [*slowest.values(), *(each for each in slow if each not in slowest.values())]:
        asked = each["address"].partition("?")[2] or "as it is"
        yield f"| {each['list']} | `{asked}` | {each['ms']:.0f} | {each['queries']} |"


def write(heading: str, text: str) -> None:
    """Write the text under its heading, in place of an earlier run's."""
    before, _, after = DOCUMENT.read_text().partition(f"{heading}\n")
    _, another, others = after.partition("\n## ")
    DOCUMENT.write_text(f"{before.rstrip()}\n\n{heading}\n\n{text}\n{another}{others}")


# In a process of its own, on one of the databases ------------------------------------------------


def lists() -> None:
    """Print the milliseconds and the queries of each address of the admin's lists."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client = staff_client()
    found = []
    for name, address in list_addresses(client):
        with CaptureQueriesContext(connection) as queries:
            first = time_call(lambda at=address: client.get(at))
        count = len(queries)
        again = time_call(lambda at=address: client.get(at))
        found.append({"list": name, "address": address, "ms": min(first, again), "queries": count})
    for each in found:
        for _again in range(REPEATS_IF_SLOW if each["ms"] > SLOW_MS else 0):
            each["ms"] = min(each["ms"], time_call(lambda at=each["address"]: client.get(at)))
    print(json.dumps(found))


def class_pages() -> None:
    """Print the milliseconds and queries of each class page, in the largest class and in others."""
    from django.db.models import Count, Q

    from audit.models import Event
    from classes.models import Course, Membership

    students = Count("memberships", filter=Q(memberships__role="student"))
    largest, *others = Course.objects.annotate(students=students).order_by("-students")[
        : REQUESTS_PER_PAGE + 1
    ]
    timings: dict[str, dict[str, Any]] = {}
    left_out: dict[str, str] = {}
    for course in (largest, *others):
        teaching = client_of(instructor_of(course))
        found, unknown = pages(course)
        left_out |= dict.fromkeys(unknown, "")
        for name, address, client in (*((*page, teaching) for page in found), *other_pages(course)):
            why = measure_page(
                timings, name, lambda c=client, at=address: c.get(at), course == largest
            )
            if why:
                left_out[name] = why
    figures = {
        "pages": list(timings.values()),
        "left_out": [f"{name} ({why})" if why else name for name, why in left_out.items()],
        "classes": Course.objects.count(),
        "members": Membership.objects.count(),
        "events": Event.objects.count(),
        "largest": largest.students,
        "others": others[0].students if others else 0,
    }
    print(json.dumps(figures))


def other_pages(course: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield the class pages of people who run no class: a student and an administrator."""
    learning = client_of(course.memberships.filter(role="student").latest("pk").user)
    for name, address in (("home", "/"), ("learning", "/learning/"), ("attempts", "/attempts/")):
        yield f"a student's {name}", address, learning
    yield "an administrator's classes", "/teach/", staff_client()


def client_of(user: Any) -> Any:
    from django.test import Client

    client = Client()
    client.force_login(user)
    return client


def measure_page(
    timings: dict[str, dict[str, Any]], name: str, call: Callable[[], Any], is_largest: bool
) -> str:
    """Time a page. Return "", or the status if it is not 200."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        status = call().status_code
    if status != 200:
        return str(status)
    own = timings.setdefault(name, {"page": name, "largest": [], "others": [], "queries": 0})
    own["queries"] = max(own["queries"], len(queries))
    for _again in range(REQUESTS_PER_PAGE if is_largest else 1):
        own["largest" if is_largest else "others"].append(time_call(call))
    return ""


def requests(students: int) -> None:
    """Print, for each line of input, the milliseconds of one student's requests by name."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    from quizzes.delivery.services.item_selection import variant_kinds
    from quizzes.delivery.services.stocking import draw_for_exams
    from quizzes.marking.services import grade_waiting
    from quizzes.models import Quiz, Slot

    quizzes = list(Quiz.objects.filter(slug__in=QUIZZES).order_by("slug"))
    # No start has to draw.
    slots = Slot.objects.filter(quiz__in=quizzes)
    lacking = Counter(variant_kinds(slots) * students)
    draw_for_exams(lacking=lacking, until=math.inf)
    handler = Client().handler  # one site for all, as in a server
    for _line in sys.stdin:
        client = Client()
        client.handler = handler
        email = f"{secrets.token_hex(8)}@softmark.example"
        student = get_user_model().objects.create_user(email, None)
        client.force_login(student)
        asked = journey(client, student, *quizzes, grade_waiting)
        print(json.dumps([(name, time_call(call)) for name, call in asked]), flush=True)


def journey(
    client: Any, student: Any, quiz: Any, another: Any, grade: Callable[[], bool]
) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the requests of one student, in order, by name."""
    page = f"/quizzes/{quiz.slug}/"
    yield "catalogue", lambda: client.get("/")
    yield "quiz", lambda: client.get(page)
    yield "start", lambda: client.post(f"{page}start/")
    attempt = student.attempts.get()
    own = f"/attempts/{attempt.pk}/"
    yield "attempt", lambda: client.get(own)
    typed = fields_of(attempt)
    for position in typed:
        yield "save", lambda at=position: save(client, attempt, at, typed)
    yield "before submitting", lambda: client.get(f"{own}submit/")
    yield "submit", lambda: client.post(f"{own}submit/")
    yield "marking it", grade
    yield "status", lambda: client.get(f"{own}status/")
    yield "results", lambda: client.get(f"{own}results/")
    yield "my attempts", lambda: client.get("/attempts/")
    yield "my learning", lambda: client.get("/learning/")
    yield "start another quiz", lambda: client.post(f"/quizzes/{another.slug}/start/")
    yield "practice", lambda: client.get("/practice/")
    yield "a skill", lambda: client.get(PRACTICE)
    yield "start to practise", lambda: client.post(PRACTICE)
    practice = student.attempts.get(mode="practice")
    item = f"/practice/{practice.pk}/1/"
    yield "an item of practice", lambda: client.get(item)
    filled_in = {f"item-1-{field}": text for field, text in fields_of(practice)[1].items()}
    check = {"check": "", "item-1-revision": "0", "item-1-token": secrets.token_hex(8)}
    yield "check it", lambda: client.post(item, check | filled_in)
    yield "marking the check", grade
    yield "its mark", lambda: client.get(item)


def setup_django() -> None:
    """Set up Django in this process."""
    import logging

    import django

    django.setup()
    from django.conf import settings

    settings.STAFF_MFA = False
    logging.disable(logging.CRITICAL)


def time_call(call: Callable[[], Any]) -> float:
    """Return the milliseconds of a call by the clock: the database's time counts too."""
    began = time.perf_counter()
    answer = call()
    taken = (time.perf_counter() - began) * 1000
    status = getattr(answer, "status_code", 200)
    if status not in (200, 302):
        sys.exit(f"{status}: {answer.content[:500]!r}")
    return taken


MEASURED: dict[str, Callable[[argparse.Namespace], None]] = {
    "requests": lambda options: requests(options.students),
    "pages": lambda options: class_pages(),
    "lists": lambda options: lists(),
}


if __name__ == "__main__":
    main()
