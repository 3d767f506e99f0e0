"""Measure the time from a student's submit to the marks in the database.

Starts the demo in a folder of its own, then fifty students submit one after the other over HTTP.
The clock runs from sending the request to the moment another connection sees the marks.
"""

import time

from benchmarks.site import log_in, post, read_page, report, run_demo

SUBMISSIONS = 50


def main() -> None:
    with run_demo() as url:
        measure(url)


def measure(url: str) -> None:
    from quizzes.delivery.services.stocking import stock_variants
    from quizzes.delivery.services.taking import start_attempt
    from quizzes.models import Quiz, Submission, Variant

    quiz = Quiz.objects.filter(published=True).first()
    while stock_variants():
        pass
    print(f"{quiz}: {Variant.objects.count()} variants in stock")
    graded, answered = [], []
    for number in range(SUBMISSIONS):
        student, cookie = log_in(f"latency-{number}@softmark.example")
        attempt = start_attempt(student=student, quiz=quiz)
        page, token = read_page(f"{url}/attempts/{attempt.pk}/", cookie)
        fields = {"csrfmiddlewaretoken": token} | right_fields(attempt)
        started = time.perf_counter()
        post(f"{url}/attempts/{attempt.pk}/submit/", fields, f"{cookie}; {page}")
        answered.append(time.perf_counter() - started)
        while not Submission.objects.filter(attempt=attempt, state="graded").exists():
            time.sleep(0.002)
        graded.append(time.perf_counter() - started)
    report("submit to graded", graded)
    report("submit to answered", answered)
    attempts = Submission.objects.filter(state="graded").values_list("attempt__score", flat=True)
    print(f"scores: {sorted(set(attempts))} of {quiz.slots.count()} slots")


def right_fields(attempt) -> dict[str, str]:
    from quizzes.problems.answers import (
        CHOICE_STEP,
        cell_fields,
        choice_field,
        input_name,
        nest_as_grid,
    )

    fields = {}
    for item in attempt.items.select_related("variant"):
        if item.variant is None:
            right = next(c["key"] for c in item.shown["choices"] if c["correct"])
            fields[input_name(item.position, choice_field(CHOICE_STEP))] = right
            continue
        for cell in cell_fields(item.shown):
            value = nest_as_grid(item.variant.solution[cell.step])[cell.row][cell.column]
            fields[input_name(item.position, cell.field)] = f"{value:.3f}"
    return fields


if __name__ == "__main__":
    main()
