"""Measure how fast workers drain a burst of submitted attempts.

Two thousand attempts of fifteen answers wait in PostgreSQL. They are marked by one and by two
real Celery workers over Redis, each time beside the floor: over as many connections the same rows
are claimed and read, and the same grades written, by plain batched SQL with nothing marked.

    SERVICE_DATABASE_URL=postgresql://… SERVICE_REDIS_URL=redis://… make bench grading
"""

import argparse
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import Barrier, Process, synchronize
from pathlib import Path

ATTEMPTS = 2000
BATCH = 250  # as workers take at most
ROOT = Path(__file__).resolve().parent.parent
DATABASE = "softmark_bench"
MARKED = "bench_marked"
GRADE = "answer_id, revision, points, out_of, verdict, mistake, steps, core_version, graded_at"
# The rows that marking has to read.
READING = """
SELECT answer.id, answer.submission_id, answer.raw::text, item.points, item.wording_id,
    item.variant_id, variant.family, variant.words, variant.givens, variant.solution,
    variant.tolerance
FROM quizzes_answer answer
JOIN quizzes_item item ON item.id = answer.item_id
LEFT JOIN quizzes_variant variant ON variant.id = item.variant_id
WHERE answer.submission_id = ANY(%s)
"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--attempts", type=int, default=ATTEMPTS)
    arguments.add_argument("--profile", action="store_true", help="drain in this process, profiled")
    chosen = arguments.parse_args()
    for name in ("SERVICE_DATABASE_URL", "SERVICE_REDIS_URL"):
        if not os.environ.get(name):
            sys.exit(f"Set {name}: this benchmark needs real servers.")
    with fresh_database(os.environ["SERVICE_DATABASE_URL"]):
        use_database()
        print(f"{chosen.attempts} attempts of fifteen answers, {cells_typed()} cells each")
        fill(chosen.attempts)
        if chosen.profile:
            profiled_drain()
            return
        for workers in (1, 2):
            rate = chosen.attempts / drain_seconds(workers)
            check()
            copy_grades()
            floor = chosen.attempts / floor_seconds(workers)
            check()
            print(
                f"{workers} worker{'s' * (workers > 1)}: {rate:.0f} attempts a second, "
                f"{rate / floor:.2f} of the floor of {floor:.0f} over as many connections"
            )
        print("every answer has one grade, every score is the sum of its grades")


def use_database() -> None:
    """Set up Django in this process and its children, on the fresh, migrated database."""
    server, _, _ = os.environ["SERVICE_DATABASE_URL"].rpartition("/")
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "SOFTMARK_DEBUG": "1",
        "DATABASE_URL": f"{server}/{DATABASE}",
    }
    if url := os.environ.get("SERVICE_REDIS_URL"):
        os.environ["REDIS_URL"] = url
    import django

    django.setup()
    # DEBUG keeps every query; nobody would run workers so.
    from django.conf import settings

    settings.DEBUG = False
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


@contextmanager
def fresh_database(url: str):
    import psycopg

    def run(*statements: str) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)

    drop = f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)"
    run(drop, f"CREATE DATABASE {DATABASE}")
    try:
        yield
    finally:
        from django.db import connections

        connections.close_all()
        run(drop)


# Fifteen slots much like a shipped quiz's.
KINDS = [
    ("cosine", {}),
    ("cosine", {"width": 2}),
    ("dot_score", {}),
    ("dot_score", {"width": 4}),
    ("score_matrix", {}),
    ("scale_row", {}),
    ("scale_row", {"tokens": 4}),
    ("softmax_row", {}),
    ("softmax_row", {"tokens": 4}),
    ("weighted_value", {}),
    ("causal_attention", {}),
    ("attention", {"width": 2}),
]
CONCEPTS = 3


def cells_typed() -> int:
    from quizzes import problems

    return sum(problems.variant_cost(family, options).cells for family, options in KINDS)


def fill(attempts: int) -> None:
    """Create submitted attempts with right, careful, mistaken, half-typed or odd answers."""
    from accounts.models import User
    from quizzes import problems
    from quizzes.delivery.services.item_selection import store_wordings
    from quizzes.models import Answer, Attempt, ConceptQuestion, Item, Submission, Variant

    student = User.objects.create(email="bench@softmark.example")
    kinds = [problems.kind_of(family, options) for family, options in KINDS]
    began = time.perf_counter()
    variants = {}
    # As in an exam, nobody shares numbers with others, so that no cached result serves twice.
    with ProcessPoolExecutor(os.process_cpu_count()) as pool:
        for kind in kinds:
            drawn = pool.map(partial(draw_one, kind), range(attempts), chunksize=100)
            variants[kind] = Variant.objects.bulk_create(Variant(**each) for each in drawn)
    print(f"{attempts * len(kinds)} variants drawn in {time.perf_counter() - began:.0f} s")
    question = ConceptQuestion.objects.create(
        key="bench", topic="bench", prompt="?", published=True
    )
    (asking,) = store_wordings(
        [
            problems.question_wording(
                key="bench",
                topic="bench",
                prompt="?",
                explanation="",
                choices=[
                    {"key": key, "text": key, "correct": key == "a", "feedback": key}
                    for key in "abcd"
                ],
            )
        ]
    )
    wordings = {
        kind: store_wordings(problems.variant_wording(vars(each)) for each in variants[kind])
        for kind in kinds
    }

    rows = Attempt.objects.bulk_create(
        Attempt(student=student, mode="practice", number=n, state="submitted")
        for n in range(attempts)
    )
    items, answers = [], []
    submissions = Submission.objects.bulk_create(Submission(attempt=row) for row in rows)
    for n, (attempt, submission) in enumerate(zip(rows, submissions, strict=True)):
        for position, kind in enumerate(kinds):
            variant = variants[kind][n]
            items.append(
                Item(
                    attempt=attempt,
                    position=position,
                    place=position,
                    variant=variant,
                    wording_id=wordings[kind][n],
                )
            )
            typed = typed_answers(variant)
            answers.append((submission, items[-1], typed[n % len(typed)]))
        for position in range(CONCEPTS):
            items.append(
                Item(
                    attempt=attempt,
                    position=len(kinds) + position,
                    place=len(kinds) + position,
                    question=question,
                    wording_id=asking,
                )
            )
            answers.append((submission, items[-1], {"answer": "abcd"[n % 4]}))
    Item.objects.bulk_create(items, batch_size=2000)
    Answer.objects.bulk_create(
        (Answer(submission=s, item=item, raw=raw) for s, item, raw in answers), batch_size=2000
    )
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def draw_one(kind: str, number: int) -> dict:
    """Draw a variant, without its fingerprint, so that equal numbers may come twice here."""
    from quizzes import problems

    columns = problems.draw_variant(kind, f"bench {number}")
    return columns | {"fingerprint": None}


def typed_answers(variant) -> list[dict]:
    """Return the answers of six different students to one variant."""
    right = {
        step: nested(lambda value: f"{value:.3f}", array)
        for step, array in variant.solution.items()
    }
    first = next(iter(right))
    return [
        right,
        right | {first: nested(lambda value: f"{value * 2:.3f}", variant.solution[first])},
        right | {first: nested(lambda value: "", variant.solution[first])},
        {
            step: nested(lambda value: f"{value + 0.3:.3f}", array)
            for step, array in variant.solution.items()
        },
        right
        | {first: nested(lambda value: f"{value:.3f}".replace(".", ","), variant.solution[first])},
        right | {first: nested(lambda value: "no idea", variant.solution[first])},
    ]


def nested(change, value):
    if isinstance(value, list):
        return [nested(change, entry) for entry in value]
    return change(value)


def make_waiting() -> None:
    from quizzes.models import Attempt, Grade, Submission

    Grade.objects.all().delete()
    Attempt.objects.update(score=None)
    Submission.objects.update(
        state="waiting", claimed_by="", claimed_until=None, tries=0, graded_at=None
    )
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def floor_seconds(connections: int) -> float:
    """Return the seconds to claim, read and write the rows that as many workers have just written.

    The floor leaves out parsing the typed numbers, marking, and building the marks.
    """
    make_waiting()
    ready = Barrier(connections + 1)
    writers = [Process(target=write_unmarked, args=[ready]) for _ in range(connections)]
    for writer in writers:
        writer.start()
    ready.wait()
    seconds = wait_until_marked(writers)
    for writer in writers:
        writer.join()
    return seconds


def write_unmarked(ready: synchronize.Barrier) -> None:
    """Run one connection of the floor, in a process of its own."""
    import psycopg

    with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
        grades, scores = defaultdict(list), {}
        for submission, attempt, score, *grade in connection.execute(f"SELECT * FROM {MARKED}"):
            grades[submission].append(grade)
            scores[submission] = (attempt, score)
        connection.commit()
        ready.wait()
        while submissions := claim_rows(connection):
            connection.execute(READING, [submissions]).fetchall()
            rows = [grade for submission in submissions for grade in grades[submission]]
            with connection.cursor().copy(f"COPY quizzes_grade ({GRADE}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            connection.execute(
                "UPDATE quizzes_attempt SET score = new.score "
                "FROM unnest(%s::bigint[], %s::float8[]) AS new (id, score) "
                "WHERE quizzes_attempt.id = new.id",
                [*map(list, zip(*(scores[submission] for submission in submissions), strict=True))],
            )
            connection.execute(
                "UPDATE quizzes_submission SET state = 'graded', graded_at = now() "
                "WHERE id = ANY(%s)",
                [submissions],
            )
            connection.commit()


def claim_rows(connection) -> list[int]:
    claimed = connection.execute(
        "UPDATE quizzes_submission SET tries = 1, claimed_by = 'floor', claimed_until = now() "
        "WHERE id = ANY(ARRAY(SELECT id FROM quizzes_submission "
        "WHERE state = 'waiting' AND tries = 0 ORDER BY received_at, id LIMIT %s "
        "FOR UPDATE SKIP LOCKED)) RETURNING id",
        [BATCH],
    ).fetchall()
    connection.commit()
    return [pk for (pk,) in claimed]


def copy_grades() -> None:
    """Copy the workers' grades into a table, for the floor to write again."""
    from django.db import connection

    columns = ", ".join(f"quizzes_grade.{name.strip()}" for name in GRADE.split(","))
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {MARKED}")
        cursor.execute(
            f"CREATE TABLE {MARKED} AS SELECT submission_id, attempt_id, score, {columns} "
            "FROM quizzes_grade JOIN quizzes_answer ON quizzes_answer.id = answer_id "
            "JOIN quizzes_submission ON quizzes_submission.id = submission_id "
            "JOIN quizzes_attempt ON quizzes_attempt.id = attempt_id ORDER BY answer_id"
        )


def wait_until_marked(processes: Sequence[Process | subprocess.Popen]) -> float:
    """Return the seconds to the last grade, polled too seldom to slow down the workers."""
    from quizzes.models import Submission

    start = time.perf_counter()
    while Submission.objects.filter(state="waiting").exists():
        if any(has_failed(process) for process in processes):
            sys.exit("A worker ended before its time.")
        time.sleep(0.02)
    return time.perf_counter() - start


def has_failed(process: Process | subprocess.Popen) -> bool:
    if isinstance(process, subprocess.Popen):
        return process.poll() is not None
    return bool(process.exitcode)


def drain_seconds(workers: int) -> float:
    """Return the seconds from waking to the last grade, with workers that are up and waiting."""
    from celery import current_app

    from quizzes.tasks import grade

    current_app.control.purge()  # Messages that an earlier run may have left.
    command = [sys.executable, "-m", "celery", "--quiet", "--app=config.celery", "worker"]
    command += ["--concurrency=1", "--loglevel=error", "--without-gossip", "--without-mingle"]
    quiet = os.environ | {"PYTHONWARNINGS": "ignore", "SOFTMARK_SWEEP_SECONDS": "3600"}
    processes = [
        subprocess.Popen([*command, f"--hostname=bench{n}@%h"], cwd=ROOT, env=quiet)
        for n in range(workers)
    ]
    try:
        time.sleep(8)  # Until they have connected, and found nothing waiting.
        make_waiting()
        for _ in range(workers):
            grade.delay()
        return wait_until_marked(processes)
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()


def profiled_drain() -> None:
    import cProfile
    import pstats

    from quizzes.marking.services import grade_waiting

    make_waiting()
    profile = cProfile.Profile()
    start = time.perf_counter()
    profile.enable()
    while grade_waiting():
        pass
    profile.disable()
    print(f"{time.perf_counter() - start:.2f} s under the profiler")
    pstats.Stats(profile).sort_stats("cumulative").print_stats(45)


def check() -> None:
    """Check that every answer has exactly one grade, and every score is the sum of its grades."""
    from django.db.models import Count, Sum

    from quizzes.models import Answer, Attempt, Grade

    assert Grade.objects.count() == Answer.objects.count()
    assert not Answer.objects.annotate(n=Count("grades")).exclude(n=1).exists()
    sums = dict(Grade.objects.values_list("answer__submission__attempt").annotate(Sum("points")))
    for pk, score in Attempt.objects.values_list("pk", "score"):
        assert abs(sums[pk] - score) < 1e-9


if __name__ == "__main__":
    main()
