"""How long from a student's submit to the marks in the database?

Starts the demo in a folder of its own, then fifty students submit one after the other over HTTP.
The clock runs from sending the request to the moment another connection sees the marks.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

SUBMISSIONS = 50
ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "demo"
        demo = subprocess.Popen(
            [sys.executable, "-m", "scripts.demo", "--port=0", f"--data={data}"],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
        )
        try:
            ready = wait_for(data / "ready.json")
            os.environ |= ready["environment"] | {"DJANGO_SETTINGS_MODULE": "config.settings"}
            measure(ready["url"].rstrip("/"))
        finally:
            demo.terminate()
            demo.wait(30)


def wait_for(path: Path) -> dict:
    deadline = time.monotonic() + 180
    while not path.exists():
        if time.monotonic() > deadline:
            sys.exit("The demo did not start.")
        time.sleep(0.1)
    return json.loads(path.read_text())


def measure(url: str) -> None:
    import django

    django.setup()
    from quizzes.models import Quiz, Submission, Variant
    from quizzes.services.stocking import stock_variants
    from quizzes.services.taking import start_attempt

    quiz = Quiz.objects.filter(published=True).first()
    while stock_variants():
        pass
    print(f"{quiz}: {Variant.objects.count()} variants in stock")
    seconds = []
    for number in range(SUBMISSIONS):
        student, cookie = log_in(f"latency-{number}@softmark.example")
        attempt = start_attempt(student=student, quiz=quiz)
        page, token = read_page(f"{url}/attempts/{attempt.pk}/", cookie)
        fields = {"csrfmiddlewaretoken": token} | right_fields(attempt)
        started = time.perf_counter()
        post(f"{url}/attempts/{attempt.pk}/submit/", fields, f"{cookie}; {page}")
        answered = time.perf_counter() - started
        while not Submission.objects.filter(attempt=attempt, state="graded").exists():
            time.sleep(0.002)
        seconds.append((time.perf_counter() - started, answered))
    for name, values in zip(("graded", "answered"), zip(*seconds, strict=True), strict=True):
        p95 = statistics.quantiles(values, n=20)[-1]
        print(
            f"submit to {name}: median {statistics.median(values) * 1000:.0f} ms, "
            f"p95 {p95 * 1000:.0f} ms over {len(values)}"
        )
    attempts = Submission.objects.filter(state="graded").values_list("attempt__score", flat=True)
    print(f"scores: {sorted(set(attempts))} of {quiz.slots.count()} slots")


def log_in(email: str):
    from django.contrib.auth import get_user_model
    from django.test import Client

    student = get_user_model().objects.create_user(email, "secret")
    client = Client()
    client.force_login(student)
    return student, f"sessionid={client.cookies['sessionid'].value}"


def right_fields(attempt) -> dict[str, str]:
    from quizzes import problems

    fields = {}
    for item in attempt.items.select_related("variant"):
        prefix = f"item-{item.position}-"
        if item.variant is None:
            right = next(c["key"] for c in item.shown["choices"] if c["correct"])
            fields[f"{prefix}answer-choice"] = right
            continue
        for field, step, row, column in problems.typed_cells(item.shown):
            value = item.variant.solution[step]
            while isinstance(value, list):
                value = value[row] if isinstance(value[0], list) else value[column]
            fields[prefix + field] = f"{value:.3f}"
    return fields


def read_page(address: str, cookie: str) -> tuple[str, str]:
    request = urllib.request.Request(address, headers={"Cookie": cookie})
    with urllib.request.urlopen(request) as response:
        csrf = response.headers.get_all("Set-Cookie")[0].partition(";")[0]
        html = response.read().decode()
    token = html.partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
    return csrf, token


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def post(address: str, fields: dict[str, str], cookie: str) -> None:
    request = urllib.request.Request(
        address, urllib.parse.urlencode(fields).encode(), headers={"Cookie": cookie}
    )
    try:
        urllib.request.build_opener(NoRedirect).open(request)
    except urllib.error.HTTPError as answer:
        if answer.code != 302:
            raise


if __name__ == "__main__":
    main()
