"""Filling a site with years of attempts, to measure how it behaves.

The services make a few attempts, the patterns, as students would; the database multiplies their
rows. Copies share the variants of their patterns, so students have no numbers of their own.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import batched

from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.models import Max, Model
from django.utils import timezone

from quizzes.authoring.queries import open_sittings, students
from quizzes.delivery.services.taking import Save, save_draft, start_attempt, submit_attempt
from quizzes.errors import NotReady
from quizzes.marking.services import grade_waiting
from quizzes.models import SLOT_COUNT, Answer, Attempt, Grade, Item, Quiz, Submission
from quizzes.problems.answers import CHOICE_STEP, cell_fields, choice_field, is_choice, nest_as_grid

# The top-level domain reserved for examples: such addresses are nobody's.
RESERVED_DOMAIN = ".example"
# For each quiz.
MAX_PATTERNS = 8
BATCH = 5000
PERIOD = timedelta(days=2 * 365)
GIVEN_NAMES = ("Ada", "Bram", "Chidi", "Dora", "Emeka", "Fatima", "Goran", "Hana", "Ivo", "Jun")
FAMILY_NAMES = ("Adeyemi", "Brown", "Chen", "Diaz", "Eriksen", "Fischer", "Gupta")


def has_real_students() -> bool:
    """Return whether any student's address might be a real person's."""
    return students().exclude(email__endswith=RESERVED_DOMAIN).exists()


def fill(*, attempts: int, people: int) -> Iterator[int]:
    """Make marked attempts by `people` new students; yield the number made so far.

    Nobody else may use the site meanwhile. Without a quiz that can be taken it makes none.
    """
    quizzes = _quizzes_to_take()[:attempts]
    if not quizzes:
        return
    each = max(1, min(MAX_PATTERNS, attempts // (4 * len(quizzes))))
    by_hand = _add_students(each)
    patterns = [_take_quiz(student, quiz) for quiz in quizzes for student in by_hand]
    while grade_waiting():
        pass
    yield len(patterns)
    copies = _Copies(
        patterns, of_each=each, students=_add_students(people), count=attempts - len(patterns)
    )
    for batch in batched(range(copies.count), BATCH, strict=False):
        copies.make(batch[0], batch[-1])
        yield len(patterns) + batch[-1] + 1
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _quizzes_to_take() -> list[Quiz]:
    now = timezone.now()
    return [
        own.quiz
        for own in open_sittings().order_by("quiz")
        if own.has_opened(now) and not own.has_closed(now) and own.quiz.slots.count() == SLOT_COUNT
    ]


def _add_students(count: int) -> list:
    """Add people with consecutive primary keys. Nobody can log in as them."""
    people = get_user_model()
    password = make_password(None)
    first = _next_key(people)
    made = [
        people(
            pk=key,
            email=f"student-{key}@fill{RESERVED_DOMAIN}",
            name=f"{GIVEN_NAMES[key % 10]} {FAMILY_NAMES[key % 7]} {key}",
            password=password,
        )
        for key in range(first, first + count)
    ]
    with transaction.atomic():
        people.objects.bulk_create(made, batch_size=BATCH)
        _reset_sequences([people])
    return made


def _take_quiz(student, quiz: Quiz) -> Attempt:
    """Return an attempt made by the services, half of whose answers are right."""
    while True:
        try:
            attempt = start_attempt(student=student, quiz=quiz)
            break
        except NotReady:
            continue
    for item in attempt.items.select_related("variant"):
        right = (item.position + student.pk) % 2
        save = Save(fields=_typed(item, right=bool(right)), revision=0, token=f"{item.pk:012}")
        save_draft(attempt=attempt, position=item.position, save=save)
    submit_attempt(attempt=attempt)
    return attempt


def _typed(item: Item, *, right: bool) -> dict[str, str]:
    shown = item.shown
    if is_choice(shown):
        chosen = next(each for each in shown["choices"] if each["correct"] == right)
        return {choice_field(CHOICE_STEP): chosen["key"]}
    solution = item.variant.solution
    typed = {choice_field(step["key"]): "0" for step in shown["steps"] if step["choices"]}
    for cell in cell_fields(shown):
        value = nest_as_grid(solution[cell.step])[cell.row][cell.column]
        typed[cell.field] = f"{value if right else value + 0.3:.3f}"
    return typed


class _Copies:
    """Attempts copied by the database. The primary keys of the n-th one's rows follow from n.

    It belongs to the student number `n % people`, and each student takes one quiz after the other.
    """

    def __init__(self, patterns: Sequence[Attempt], *, of_each: int, students, count: int):
        people, quizzes = len(students), len(patterns) // of_each
        until = timezone.now() - timedelta(hours=1)
        start = f"({(until - PERIOD).timestamp()} + n * {PERIOD.total_seconds() / max(1, count)})"
        end = f"{start} + 0.7 * seconds"
        marked = _moment(f"{end} + 1")
        first = {model: _next_key(model) for model in (Attempt, Item, Submission, Answer, Grade)}
        attempt, submission = f"{first[Attempt]} + n", f"{first[Submission]} + n"
        item, answer, grade = (
            f"{first[model]} + n * {SLOT_COUNT} + nth" for model in (Item, Answer, Grade)
        )
        self.count = count
        # Copies of the same student do not all have the same pattern.
        self._pattern = f"n / {people} % {quizzes} * {of_each} + (n + n / {people}) % {of_each}"
        self._copy_patterns(patterns)
        self._changed: dict[type[Model], Mapping[str, str]] = {
            Attempt: {
                "id": attempt,
                "student_id": f"{students[0].pk} + n % {people}",
                "number": f"1 + n / {people * quizzes}",
                "started_at": _moment(start),
                "deadline": _moment(f"{start} + seconds"),
                "closes_at": "NULL",
                "submitted_at": _moment(end),
            },
            Item: {"id": item, "attempt_id": attempt, "saved_at": _moment(end)},
            Submission: {
                "id": submission,
                "attempt_id": attempt,
                "received_at": _moment(end),
                "graded_at": marked,
            },
            Answer: {"id": answer, "submission_id": submission, "item_id": item},
            Grade: {"id": grade, "answer_id": answer, "graded_at": marked},
        }

    def _copy_patterns(self, patterns: Sequence[Attempt]) -> None:
        """Copy the rows of the patterns into temporary tables, which are faster to read."""
        rows = ", ".join(
            f"({place}, {pattern.pk}, {pattern.minutes * 60})"
            for place, pattern in enumerate(patterns)
        )
        with connection.cursor() as cursor:
            for model, (joined, nth) in _JOINED.items():
                name = model._meta.model_name
                cursor.execute(f"DROP TABLE IF EXISTS {_pattern_table(model)}")
                cursor.execute(f"""
                    CREATE TEMPORARY TABLE {_pattern_table(model)} AS
                    WITH patterns(pattern, pk, seconds) AS (VALUES {rows})
                    SELECT pattern, seconds, {nth} AS nth, {name}.*
                    FROM patterns JOIN quizzes_attempt attempt ON attempt.id = pk {joined}
                """)

    @transaction.atomic
    def make(self, first: int, last: int) -> None:
        """Copy the attempts with the numbers from `first` to `last`."""
        with connection.cursor() as cursor, _skip_foreign_key_checks(cursor):
            for model, changed in self._changed.items():
                cursor.execute(self._statement(model, changed, first, last))
        _reset_sequences(self._changed)

    def _statement(
        self, model: type[Model], changed: Mapping[str, str], first: int, last: int
    ) -> str:
        columns = [field.column for field in model._meta.local_concrete_fields]
        values = [changed.get(column, f'copied."{column}"') for column in columns]
        return f"""
            INSERT INTO {model._meta.db_table} ({", ".join(f'"{column}"' for column in columns)})
            WITH RECURSIVE numbers(n) AS (
                SELECT CAST({first} AS bigint) UNION ALL
                SELECT n + 1 FROM numbers WHERE n < {last}
            )
            SELECT {", ".join(values)}
            FROM numbers JOIN {_pattern_table(model)} copied ON pattern = {self._pattern}
            ORDER BY 1
        """


_ITEMS = "JOIN quizzes_item item ON item.attempt_id = attempt.id"
_ANSWERS = f"{_ITEMS} JOIN quizzes_answer answer ON answer.item_id = item.id"
# By model: the joins that find a pattern's rows, and the index of each row among them, from 0.
_JOINED: dict[type[Model], tuple[str, str]] = {
    Attempt: ("", "0"),
    Item: (_ITEMS, "item.position - 1"),
    Submission: ("JOIN quizzes_submission submission ON submission.attempt_id = attempt.id", "0"),
    Answer: (_ANSWERS, "item.position - 1"),
    Grade: (
        f"{_ANSWERS} JOIN quizzes_grade grade ON grade.answer_id = answer.id",
        "item.position - 1",
    ),
}


def _pattern_table(model: type[Model]) -> str:
    return f"pattern_{model._meta.model_name}"


@contextmanager
def _skip_foreign_key_checks(cursor) -> Iterator[None]:
    """Skip foreign key checks if permitted: keys are valid, and checks take four times as long."""
    may = False
    if connection.vendor == "postgresql":
        cursor.execute("SELECT current_setting('is_superuser')")
        may = cursor.fetchone() == ("on",)
    if may:
        cursor.execute("SET LOCAL session_replication_role = replica")
    yield
    if may:
        cursor.execute("SET LOCAL session_replication_role = origin")


def _moment(seconds: str) -> str:
    """Return SQL for the time that is `seconds`, an SQL expression, after 1970 began."""
    if connection.vendor == "postgresql":
        return f"to_timestamp({seconds})"
    return f"strftime('%Y-%m-%d %H:%M:%S', {seconds}, 'unixepoch')"


def _next_key(model: type[Model]) -> int:
    return 1 + (model._default_manager.aggregate(last=Max("pk"))["last"] or 0)


def _reset_sequences(models) -> None:
    """Reset the models' sequences to continue behind the existing primary keys."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)
