"""Measure each request's processor time and queries, also beside another checkout's.

Every request passes all middleware, in one process, on a SQLite of its own. Each attempt's page
and results are requested once, before that process has rendered any part of them. Another process
draws the variants ahead, as workers do. With the folder of another checkout both are measured in
turns, side by side:

    make bench requests ARGS="../before --students 50"
"""

import argparse
import json
import os
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
QUIZ = "attention-and-transformers"
LESSON = "/lessons/attention-foundations/"


def main() -> None:
    options = read_options()
    if options.prepare:
        prepare(options.students)
        return
    if options.measure:
        print(json.dumps(measure(options.students)))
        return
    checkouts = [ROOT, *([Path(options.checkout).resolve()] if options.checkout else [])]
    found: list[list[dict[str, Any]]] = [[] for _ in checkouts]
    for _round in range(options.rounds):
        for checkout, rounds in zip(checkouts, found, strict=True):
            rounds.append(measure_checkout(checkout, options.students))
    print_table(*found)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench requests", description=__doc__)
    parser.add_argument("checkout", nargs="?", help="another checkout to compare with")
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--prepare", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def measure_checkout(checkout: Path, students: int) -> dict[str, Any]:
    """Return the figures of a process on that checkout, with a database and broker of its own."""
    from scripts import broker

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        socket = folder / "valkey.sock"
        (folder / "valkey").mkdir()
        valkey = subprocess.Popen(
            broker.command(socket, folder / "valkey"), stdout=subprocess.DEVNULL
        )
        environment = os.environ | {
            "DATABASE_URL": f"sqlite:///{folder}/softmark.sqlite3",
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPATH": str(checkout),
            "REDIS_URL": f"redis+socket://{socket}",
            "SOFTMARK_ALLOWED_HOSTS": "testserver",
            "SOFTMARK_DATA": name,
            "SOFTMARK_HTTPS": "0",
            "SOFTMARK_SECRET_KEY": secrets.token_hex(),
        }
        # The checkout's own file. -P: modules are not looked for in that file's folder.
        file = checkout / "benchmarks" / "requests.py"
        command = [sys.executable, "-P", file, f"--students={students}"]
        try:
            manage = [sys.executable, "manage.py"]
            for step in (["migrate", "--verbosity=0"], ["load_content"]):
                run([*manage, *step], cwd=checkout, env=environment)
            run([*manage, "collectstatic", "--no-input", "-v0"], cwd=checkout, env=environment)
            run([*command, "--prepare"], cwd=checkout, env=environment)
            message = run([*command, "--measure"], cwd=checkout, env=environment)
            return json.loads(message.splitlines()[-1])
        finally:
            valkey.terminate()
            valkey.wait()


def run(command: list[str], **options: Any) -> str:
    done = subprocess.run(command, capture_output=True, **options)
    if done.returncode:
        sys.exit(done.stderr.decode())
    return done.stdout.decode()


def print_table(ours: list[dict[str, Any]], theirs: list[dict[str, Any]] | None = None) -> None:
    """Print a table: milliseconds and queries of each request, and their ratio."""
    print("| request | ms | queries |" + (" ms there | queries there | ratio |" if theirs else ""))
    print("| --- | --: | --: |" + (" --: | --: | --: |" if theirs else ""))
    for name in ours[0]:
        rows = [
            (statistics.median(each[name]["ms"] for each in rounds), rounds[0][name]["queries"])
            for rounds in (ours, theirs)
            if rounds
        ]
        cells = [cell for ms, queries in rows for cell in (f"{ms:.1f}", str(queries))]
        if len(rows) > 1:
            cells.append(f"{rows[0][0] / rows[1][0]:.2f}")
        print(f"| {name} | {' | '.join(cells)} |")


# In the checkout -----------------------------------------------------------------------------


def prepare(students: int) -> None:
    """Draw variants as workers do in advance."""
    import django

    django.setup()

    from quizzes.models import Quiz

    quiz = Quiz.objects.get(slug=QUIZ)
    Quiz.objects.exclude(pk=quiz.pk).update(published=False)
    fill_stock(students)


def measure(students: int) -> dict[str, Any]:
    """Return the median milliseconds and the queries of each request of the students."""
    import django

    django.setup()
    from django.contrib.auth import get_user_model
    from django.test import Client

    from quizzes.marking.services import grade_waiting
    from quizzes.models import Attempt, Quiz

    quiz = Quiz.objects.get(slug=QUIZ)
    people = [
        get_user_model().objects.create_user(f"student-{number}@softmark.example", "")
        for number in range(students)
    ]
    visitor = Client()
    clients = [Client() for _ in people]
    for client, person in zip(clients, people, strict=True):
        client.handler = visitor.handler  # one site for all, as in a server
        client.force_login(person)
    found: dict[str, Any] = {}

    def each(name: str, call: Callable[[int], Any], *, status: int = 200) -> None:
        found[name] = time_calls(call, students, status)

    def attempt_of(number: int) -> Attempt:
        return Attempt.objects.get(student=people[number])

    each("catalogue", lambda n: clients[n].get("/"))
    each("catalogue, anonymous", lambda _n: visitor.get("/"))
    each("lesson", lambda n: clients[n].get(LESSON))
    each("lesson, anonymous", lambda n: visitor.get(LESSON))
    each("start", lambda n: clients[n].post(f"/quizzes/{quiz.slug}/start/"), status=302)
    attempts = [attempt_of(number) for number in range(students)]
    typed = [fields_of(attempt) for attempt in attempts]
    each("page", lambda n: clients[n].get(f"/attempts/{attempts[n].pk}/"))
    for position in typed[0]:
        calls = time_calls(
            lambda n, at=position: save(clients[n], attempts[n], at, typed[n]), students
        )
        found.setdefault("save", []).append(calls)
    saves = found.pop("save")
    found["save"] = {
        "ms": statistics.median(each["ms"] for each in saves),
        "queries": saves[0]["queries"],
    }
    each("page, filled in", lambda n: clients[n].get(f"/attempts/{attempts[n].pk}/"))
    each("summary", lambda n: clients[n].get(f"/attempts/{attempts[n].pk}/submit/"))
    each("submit", lambda n: clients[n].post(f"/attempts/{attempts[n].pk}/submit/"), status=302)
    each("status", lambda n: clients[n].get(f"/attempts/{attempts[n].pk}/status/"))
    while grade_waiting():
        pass
    each("results", lambda n: clients[n].get(f"/attempts/{attempts[n].pk}/results/"))
    each("home", lambda n: clients[n].get("/learning/"))
    return found


def fill_stock(students: int) -> None:
    """Stock enough variants, so that no start has to draw."""
    from django.conf import settings

    from quizzes.delivery.services.stocking import stock_variants

    settings.VARIANTS_IN_STOCK = students
    while stock_variants():
        pass


def fields_of(attempt: Any) -> dict[int, dict[str, str]]:
    """Return texts for every field of an attempt: some right, some wrong."""
    typed: dict[int, dict[str, str]] = {}
    for item in attempt.items.select_related("variant"):
        shown = item.shown
        if shown["kind"] == "choice":
            typed[item.position] = {"answer-choice": shown["choices"][0]["key"]}
            continue
        fields = typed[item.position] = {}
        for step in shown["steps"]:
            if step["choices"]:
                fields[f"{step['key']}-choice"] = "0"
                continue
            solution = item.variant.solution[step["key"]]
            rows = solution if solution and isinstance(solution, list) else [solution]
            rows = rows if isinstance(rows[0], list) else [rows]
            for row, numbers in enumerate(rows):
                for column, number in enumerate(numbers):
                    wrong = (item.position + row) % 3 == 0
                    fields[f"{step['key']}-{row}-{column}"] = f"{number + wrong:.3f}"
    return typed


def save(client: Any, attempt: Any, position: int, typed: dict[int, dict[str, str]]) -> Any:
    body = {"revision": 0, "token": f"token-{position}", "fields": typed[position]}
    path = f"/attempts/{attempt.pk}/items/{position}/draft/"
    return client.post(path, json.dumps(body), content_type="application/json")


def time_calls(call: Callable[[int], Any], calls: int, status: int = 200) -> dict[str, Any]:
    """Return the median of the processor's milliseconds, and the last call's queries."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    seconds = []
    for number in range(calls - 1):
        began = time.process_time()
        answer = call(number)
        seconds.append(time.process_time() - began)
        if answer.status_code != status:
            sys.exit(f"{answer.status_code} instead of {status}: {answer.content[:500]!r}")
    with CaptureQueriesContext(connection) as queries:
        call(calls - 1)
    return {"ms": statistics.median(seconds[1:]) * 1000, "queries": len(queries)}


if __name__ == "__main__":
    main()
