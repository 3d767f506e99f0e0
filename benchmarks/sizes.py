"""Measure the space of one attempt in the database, by table and by index.

Attempts at a quiz of fifteen questions are begun, saved item by item, handed in and marked by the
services themselves, in a PostgreSQL database of their own.

    SERVICE_DATABASE_URL=postgresql://… make bench sizes
"""

import argparse
import os
import sys
from uuid import uuid4

from benchmarks.grading import KINDS, fresh_database, typed_answers, use_database

ATTEMPTS = 500
SLOTS, NUMERIC = 15, 11
VACUUM_EVERY = 25
DRAWN = 20
# The tables with rows of every attempt.
TABLES = ("attempt", "submission", "item", "answer", "grade")
OWN_NUMBERS = "variant"

_TABLE = """
    SELECT pg_relation_size(oid), pg_indexes_size(oid),
           pg_total_relation_size(oid) - pg_relation_size(oid) - pg_indexes_size(oid)
    FROM pg_class WHERE oid = %s::regclass
"""
_INDEXES = """
    SELECT indexrelname, pg_relation_size(indexrelid)
    FROM pg_stat_user_indexes WHERE relid = %s::regclass ORDER BY 2 DESC
"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--attempts", type=int, default=ATTEMPTS)
    chosen = arguments.parse_args()
    if not os.environ.get("SERVICE_DATABASE_URL"):
        sys.exit("Set SERVICE_DATABASE_URL: this benchmark needs a real PostgreSQL server.")
    with fresh_database(os.environ["SERVICE_DATABASE_URL"]):
        use_database()
        fill(chosen.attempts)
        print_table(chosen.attempts)


def fill(attempts: int) -> None:
    """Create attempts of different students, with right and wrong answers, and mark them."""
    from django.core.management import call_command

    from accounts.models import User
    from quizzes.delivery.services.item_selection import variant_kinds
    from quizzes.delivery.services.taking import Save, save_draft, start_attempt, submit_attempt
    from quizzes.marking.services import grade_waiting
    from quizzes.problems.answers import CHOICE_STEP, choice_field, flatten

    call_command("load_content", verbosity=0)
    quiz = make_quiz()
    draw_ahead(variant_kinds(quiz.slots.all()), attempts)
    students = User.objects.bulk_create(
        User(email=f"sizes-{number}@softmark.example") for number in range(attempts)
    )
    for number, student in enumerate(students):
        attempt = start_attempt(student=student, quiz=quiz)
        for item in attempt.items.select_related("variant"):
            if item.variant:
                typed = typed_answers(item.variant)
                fields = flatten(item.shown, typed[(number + item.position) % len(typed)])
            else:
                choices = item.shown["choices"]
                fields = {choice_field(CHOICE_STEP): choices[number % len(choices)]["key"]}
            save = Save(fields=fields, revision=0, token=f"{number:06d}-{item.position:05d}")
            save_draft(attempt=attempt, position=item.position, save=save)
        submit_attempt(attempt=attempt, key=f"{number:036d}")
        if number % VACUUM_EVERY == 0:
            vacuum()
    while grade_waiting():
        pass
    vacuum()


def make_quiz():
    """Create a quiz of eleven numeric problems and four of the questions that ship."""
    from quizzes.models import ConceptQuestion, Quiz, Slot

    topics = ConceptQuestion.objects.order_by("topic").values_list("topic", flat=True).distinct()
    asked = [{"family": family, "options": options} for family, options in KINDS[-NUMERIC:]]
    asked += [{"topic": topic} for topic in topics[: SLOTS - NUMERIC]]
    quiz = Quiz.objects.create(slug="sizes", title="Sizes", published=True)
    Slot.objects.bulk_create(
        Slot(quiz=quiz, position=position, **each) for position, each in enumerate(asked, start=1)
    )
    return quiz


def vacuum() -> None:
    """Vacuum and analyse now, as the server does by itself a little later."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def draw_ahead(kinds: list[str], attempts: int) -> None:
    """Stock variants for all attempts: for speed a few again and again, as if new."""
    from quizzes import problems
    from quizzes.models import Variant

    for kind in kinds:
        drawn = [
            problems.draw_variant(kind, f"sizes {number:010d}", for_exams=True)
            for number in range(min(attempts, DRAWN))
        ]
        Variant.objects.bulk_create(
            Variant(**drawn[number % len(drawn)] | {"fingerprint": uuid4()})
            for number in range(attempts)
        )


def print_table(attempts: int) -> None:
    """Print a table of the bytes of an attempt."""
    from quizzes.models import Item

    print(
        f"{attempts} attempts, {Item.objects.count() / attempts:.0f} items each; bytes an attempt"
    )
    print(f"\n| {'table':40} |   rows | indexes |  TOAST |    all |")
    print(f"|{'-' * 42}|-------:|--------:|-------:|-------:|")
    parts = {table: sizes(table, attempts) for table in (*TABLES, OWN_NUMBERS)}
    for table, part in parts.items():
        line(table, part)
    line("**an attempt**", total := added(parts[table] for table in TABLES))
    line("**with its own numbers**", added([total, parts[OWN_NUMBERS]]))
    print(f"\n| {'index':70} |    all |\n|{'-' * 72}|-------:|")
    for table in (*TABLES, OWN_NUMBERS):
        for name, size in ask(_INDEXES, table):
            print(f"| {name:70} | {size / attempts:6.0f} |")


def sizes(table: str, attempts: int) -> list[float]:
    [found] = ask(_TABLE, table)
    return [size / attempts for size in found]


def added(parts) -> list[float]:
    return [sum(column) for column in zip(*parts, strict=True)]


def line(name: str, part: list[float]) -> None:
    rows, indexes, toast = part
    print(f"| {name:40} | {rows:6.0f} | {indexes:7.0f} | {toast:6.0f} | {sum(part):6.0f} |")


def ask(query: str, table: str) -> list[tuple]:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(query, [f"quizzes_{table}"])
        return cursor.fetchall()


if __name__ == "__main__":
    main()
