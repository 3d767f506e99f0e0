"""Measure the time of a start when sixty students start a quiz at once.

Runs the demo in a folder of its own, with a full, a half-full and an empty stock of variants. The
clock of each student runs from pressing the button to the address of their attempt, through the
page that says that numbers are being drawn, where it comes.
"""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from urllib.parse import urlsplit

from benchmarks.site import log_in, read_page, report, run_demo

STUDENTS = 60
SECONDS_BETWEEN_LOOKS = 0.5  # as the page does


def main() -> None:
    with run_demo() as url:
        measure(url)


def measure(url: str) -> None:
    from quizzes.models import Attempt, Quiz, Variant

    quiz = Quiz.objects.filter(published=True).first()
    path = f"/quizzes/{quiz.slug}/"
    students = []
    for number in range(STUDENTS):
        _, cookie = log_in(f"starting-{number}@softmark.example")
        csrf, token = read_page(f"{url}{path}", cookie)
        students.append((f"{cookie}; {csrf}", token))
    for name, share in (("full", 1.0), ("half", 0.5), ("empty", 0.0)):
        stock_share(quiz, share)
        with ThreadPoolExecutor(STUDENTS) as pool:
            seconds, looks = zip(
                *pool.map(lambda student: start(url, path, *student), students), strict=True
            )
        report(f"start, {name} stock", seconds)
        print(f"  {sum(looks)} looks at the page that waits, by {sum(map(bool, looks))} students")
        variants = Variant.objects.filter(items__attempt__quiz=quiz)
        assert max(Counter(variants.values_list("pk", flat=True)).values()) == 1
        Attempt.objects.filter(quiz=quiz).update(state="submitted")


def stock_share(quiz, share: float) -> None:
    """Stock for each slot a share of the variants that sixty students need."""
    from quizzes.delivery.services.item_selection import variant_kinds
    from quizzes.delivery.services.stocking import stock_variants
    from quizzes.models import Variant

    while stock_variants():
        pass
    for kind, slots in Counter(variant_kinds(quiz.slots.all())).items():
        ready = Variant.objects.filter(kind=kind, for_exams=True, given_at=None).order_by("pk")
        wanted = round(STUDENTS * share) * slots
        Variant.objects.filter(pk__in=list(ready.values_list("pk", flat=True)[wanted:])).delete()


def start(url: str, path: str, cookie: str, token: str) -> tuple[float, int]:
    """Start a quiz and wait for the attempt. Return the seconds, and how often it looked."""
    connection = HTTPConnection(urlsplit(url).netloc)
    form = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
    began, looks = time.perf_counter(), 0
    connection.request("POST", f"{path}start/", f"csrfmiddlewaretoken={token}", form)
    while True:
        answer = connection.getresponse()
        answer.read()
        where = answer.getheader("Location", "")
        if where.startswith("/attempts/"):
            return time.perf_counter() - began, looks
        assert answer.status == 200 or where == f"{path}start/", (answer.status, where)
        if answer.status == 200:
            looks += 1
            time.sleep(SECONDS_BETWEEN_LOOKS)
        connection.request("GET", f"{path}start/", headers={"Cookie": cookie})


if __name__ == "__main__":
    main()
