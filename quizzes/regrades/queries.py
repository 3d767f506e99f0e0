"""Reading rulings: what they cover, what they would make of it, and those of a desk."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from django.db.models import Case, Count, Exists, F, Max, OuterRef, Q, QuerySet, Sum, When
from django.db.models.functions import Floor
from django.utils.translation import gettext as _

from foundation.prepared import prepared
from quizzes.models import (
    HANDED_IN,
    STANDING,
    Answer,
    Attempt,
    Grade,
    Item,
    Ruling,
    RulingLine,
    Submission,
    Wording,
)
from quizzes.models.plain_json import as_text, read_texts
from quizzes.models.steps import step_of
from quizzes.problems import Marked
from quizzes.regrades import rules
from quizzes.regrades.rules import Decided, Held, Outcome, Rule, Tried, Where, mark_of_row

Kind, Scope, State = Ruling.Kind, Ruling.Scope, Ruling.State
# The part of a scope that says what of, by the names of `Where` and from an item.
_BY = {
    Scope.SLOT: ("slot", "slot"),
    Scope.FAMILY: ("family", "variant__family"),
    Scope.QUESTION: ("question", "question"),
    Scope.VARIANT: ("variant", "variant"),
    Scope.ITEM: ("item", "pk"),
}
_NUMBERS = ("words", "givens", "solution", "tolerance")


def rule_of(ruling: Ruling) -> Rule:
    return Rule(ruling.kind, ruling.values, ruling.never_lower, ruling.over_hand)


def part_of(ruling: Ruling) -> Any:
    """What its scope is narrowed to; None where that is gone."""
    if ruling.scope not in _BY:
        return None
    name, _path = _BY[Scope(ruling.scope)]
    return ruling.family if name == "family" else getattr(ruling, f"{name}_id")


def covers(ruling: Ruling, where: Where) -> bool:
    """Does its scope have this in it?"""
    if ruling.sitting_id is not None and ruling.sitting_id != where.sitting:
        return False
    if ruling.scope == Scope.ALL:
        return True
    name, _path = _BY[Scope(ruling.scope)]
    return part_of(ruling) is not None and part_of(ruling) == getattr(where, name)


def within(ruling: Ruling, answer: str = "") -> Q:
    """The answers in its scope that count, marked or not; previews and practice never are.

    Said of what has its answer there: "answer__" of grades.
    """
    item = f"{answer}item__"
    wanted = counts(answer) & Q(
        **{f"{item}attempt__mode": Attempt.Mode.GRADED, f"{item}attempt__quiz": ruling.quiz_id}
    )
    if ruling.sitting_id is not None:
        wanted &= Q(**{f"{item}attempt__sitting": ruling.sitting_id})
    if ruling.scope == Scope.ALL:
        return wanted
    if part_of(ruling) is None:
        return Q(pk__in=())
    _name, path = _BY[Scope(ruling.scope)]
    return wanted & Q(**{f"{item}{path}": part_of(ruling)})


def counts(answer: str = "") -> Q:
    """The answers of what was handed in last."""
    number = F(f"{answer}item__attempt__reopened") + 1
    return Q(**{f"{answer}submission__item": None, f"{answer}submission__number": number})


def in_force(quiz: int, sitting: int | None = None) -> list[Ruling]:
    """The rulings that stand over a quiz, or one sitting of it, in their order."""
    found = Ruling.objects.filter(STANDING, quiz=quiz)
    if sitting is not None:
        found = found.filter(Q(sitting=None) | Q(sitting=sitting))
    return list(found.order_by("accepted_at", "pk"))


# Marks


def held_marks(answers: Q, *, quiz: int, numbers: bool) -> dict[int, list[Held]]:
    """The latest marks of these answers, as grades say it, by the attempt; with the numbers of
    their variants where these are wanted.
    """
    columns = (*_COLUMNS, *(_NUMBER_COLUMNS if numbers else ()))
    found = Grade.objects.filter(answers, answer__submission__state=Submission.State.GRADED)
    # All are read that were ever appended: to have the latest picked takes the database longer.
    latest = {row[1]: row for row in found.order_by("revision").values_list(*columns)}
    rows = list(latest.values())
    if not rows:
        return {}
    columns = list(zip(*rows, strict=True))
    raws = read_texts(columns[_RAW])
    steps = _steps(columns[_STEPS])
    variants = _variants(columns) if numbers else [None] * len(rows)
    wordings = Wording.objects.read(row[_WORDING] for row in rows if row[_QUESTION])
    adjusted = adjusted_by_hand(quiz)
    tolerances = _tolerances(quiz)
    held: dict[int, list[Held]] = defaultdict(list)
    for row, raw, variant in zip(rows, raws, variants, strict=True):
        attempt, answer, grade, revision, *mark, _packed, version = row[: _STEPS + 2]
        where = Where(*row[_WHERE:_RAW])
        held[attempt].append(
            Held(
                answer=answer,
                grade=grade,
                revision=revision,
                mark=mark_of_row(*mark, steps[row[_STEPS]]),
                where=where,
                core_version=version,
                raw=raw,
                wording=wordings.get(row[_WORDING]),
                variant=variant,
                tolerance=_tolerance_over(where, tolerances),
                by_hand=answer in adjusted,
            )
        )
    return held


def _tolerances(quiz: int, *, without: int | None = None) -> list[Ruling]:
    """Return the rulings on tolerances that stand over a quiz, in their order."""
    return [each for each in in_force(quiz) if each.kind == Kind.TOLERANCE and each.pk != without]


def _tolerance_over(where: Where, tolerances: Sequence[Ruling]) -> str:
    """Return the tolerance that the last of these gives; "" where none covers it."""
    said = [each.values["tolerance"] for each in tolerances if covers(each, where)]
    return said[-1] if said else ""


_COLUMNS = (
    "answer__item__attempt", "answer", "pk", "revision", "points", "out_of", "verdict", "mistake",
    as_text("steps"), "core_version", "answer__item__wording",
    "answer__item__attempt__sitting", "answer__item__slot", "answer__item__variant__family",
    "answer__item__question", "answer__item__variant", "answer__item",
    as_text("answer__raw"),
)  # fmt: skip
_NUMBER_COLUMNS = tuple(as_text(f"answer__item__variant__{name}") for name in _NUMBERS)
_STEPS, _WORDING, _WHERE, _QUESTION, _RAW = 8, 10, 11, 14, 17


def _steps(texts: Sequence[str]) -> dict[str, list[Any]]:
    """What these texts say: many say the same."""
    if not texts:
        return {}
    different = list(dict.fromkeys(texts))
    read = read_texts(different)
    return {
        text: [step_of(step) for step in steps] for text, steps in zip(different, read, strict=True)
    }


def _variants(columns: Sequence[Sequence[Any]]) -> list[Mapping[str, Any] | None]:
    families = columns[_WHERE + 2]
    numbers = zip(*map(read_texts, columns[_RAW + 1 :]), strict=True)
    return [
        dict(zip(("family", *_NUMBERS), (family, *each), strict=True)) if family else None
        for family, each in zip(families, numbers, strict=True)
    ]


def adjusted_by_hand(quiz: int) -> set[int]:
    """The answers of a quiz that somebody adjusted by hand."""
    lines = RulingLine.objects.filter(
        ruling__quiz=quiz,
        ruling__kind=Kind.ADJUST,
        ruling__state__in=[State.WAITING, State.APPLIED],
        outcome__in=[rules.HIGHER, rules.LOWER, rules.CHANGED],
    )
    return set(lines.values_list("answer", flat=True))


@dataclass(frozen=True, slots=True)
class Total:
    """What the latest marks of an attempt come to, exactly."""

    points: Fraction
    out_of: Fraction


def totals(attempts: Collection[int]) -> dict[int, Total]:
    """Of these attempts those that are marked. Whole points are exact; of others the steps are."""
    attempt = "answer__item__attempt"
    grades = Grade.objects.filter(
        counts("answer__"),
        **{f"{attempt}__in": list(attempts)},
        answer__submission__state=Submission.State.GRADED,
    )
    steps = Case(When(points=Floor("points"), then=None), default=as_text("steps"))
    columns = ("answer", attempt, "points", "out_of")
    rows = grades.order_by("revision").values_list(*columns, steps)
    latest = {answer: row for answer, *row in rows}
    parts = _points([row[3] for row in latest.values() if row[3] is not None])
    whole: dict[int, float] = defaultdict(float)
    below: dict[int, float] = defaultdict(float)
    rest: dict[int, Fraction] = defaultdict(Fraction)
    for pk, points, out_of, text in latest.values():
        below[pk] += out_of
        if text is None:
            whole[pk] += points
        else:
            rest[pk] += parts[text]
    return {pk: Total(int(whole[pk]) + rest[pk], Fraction(out_of)) for pk, out_of in below.items()}


def _points(texts: Sequence[str]) -> dict[str, Fraction]:
    return {
        text: sum((Fraction(step["points"]) for step in steps), Fraction())
        for text, steps in _steps(texts).items()
    }


def tried(
    held: Mapping[int, Sequence[Held]], *, pass_mark: int, known: Mapping[int, Total] | None = None
) -> list[Tried]:
    """The attempts of these marks, with what each comes to."""
    known = known if known is not None else totals(held)
    nothing = Total(Fraction(), Fraction())
    return [
        Tried(pk, pass_mark, known.get(pk, nothing).points, known.get(pk, nothing).out_of, marks)
        for pk, marks in held.items()
    ]


# Dry runs


def dry_run(ruling: Ruling, attempts: Collection[int] | None = None) -> list[Outcome]:
    """What the ruling would make, by the marks as they are; of all attempts, or of these."""
    if ruling.kind == Kind.UNDO:
        return _undone(ruling.undoes)
    answers = within(ruling, "answer__")
    if attempts is not None:
        answers &= Q(answer__item__attempt__in=list(attempts))
    rule = rule_of(ruling)
    held = held_marks(answers, quiz=ruling.quiz_id, numbers=rule.reads_numbers)
    return rules.decide(rule, tried(held, pass_mark=ruling.quiz.pass_mark))


def _undone(undone: Ruling) -> list[Outcome]:
    """Each answer has again what it had before, under the rulings that came after.

    What one of these was applied to without anything of it being kept stays theirs.
    """
    lines = RulingLine.objects.filter(ruling=undone, applied=True)
    counting = counts("answer__") & Q(answer__in=lines.values("answer"))
    later = _later_than(undone)
    numbers = any(rule_of(each).reads_numbers for each in later)
    now = held_marks(counting, quiz=undone.quiz_id, numbers=numbers)
    had = _marks_before(lines)
    began = tried(now, pass_mark=undone.quiz.pass_mark)
    restored = [_with_marks(each, had) for each in began]
    tolerances = _tolerances(undone.quiz_id, without=undone.pk)
    for each in later:
        restored = _go_on(each, restored, tolerances)
    return [_told(old, new) for old, new in zip(began, restored, strict=True)]


def _marks_before(lines: QuerySet[RulingLine]) -> dict[int, tuple[Marked, str]]:
    """What the answers of these lines had before, and the version of the core that marked it."""
    columns = ("points", "out_of", "verdict", "mistake")
    rows = list(
        lines.values_list(
            "answer",
            *(f"grade_before__{name}" for name in columns),
            as_text("grade_before__steps"),
            "grade_before__core_version",
        )
    )
    steps = _steps([row[-2] for row in rows])
    return {
        answer: (mark_of_row(*mark, steps[text]), version) for answer, *mark, text, version in rows
    }


def _later_than(undone: Ruling) -> list[Ruling]:
    """What was ruled after it and counts, adjustments too."""
    found = Ruling.objects.filter(
        quiz=undone.quiz_id, state__in=[State.WAITING, State.APPLIED]
    ).exclude(kind=Kind.UNDO)
    if undone.sitting_id is not None:
        found = found.filter(Q(sitting=None) | Q(sitting=undone.sitting_id))
    found = found.filter(accepted_at__gte=undone.accepted_at).exclude(pk=undone.pk)
    return list(found.order_by("accepted_at", "pk"))


def _with_marks(attempt: Tried, marks: Mapping[int, tuple[Any, str]]) -> Tried:
    """The attempt as if its answers had these."""
    points, out_of, held = attempt.points, attempt.out_of, []
    for each in attempt.held:
        mark, version = marks.get(each.answer, (each.mark, each.core_version))
        points += mark.points - each.mark.points
        out_of += mark.out_of - each.mark.out_of
        held.append(replace(each, mark=mark, core_version=version))
    return replace(attempt, points=points, out_of=out_of, held=held)


def _go_on(ruling: Ruling, attempts: Sequence[Tried], tolerances: Sequence[Ruling]) -> list[Tried]:
    """The attempts as a later ruling leaves them, under the tolerances that stood by then."""
    own = set(ruling.lines.values_list("answer", flat=True)) if ruling.kind == Kind.ADJUST else None

    def is_covered(held: Held) -> bool:
        # Somebody adjusted one answer, and not what its item is answered once it is reopened.
        return covers(ruling, held.where) if own is None else held.answer in own

    stood = [each for each in tolerances if each.accepted_at < ruling.accepted_at]
    covered = [
        replace(
            attempt,
            held=[
                replace(held, tolerance=_tolerance_over(held.where, stood))
                for held in attempt.held
                if is_covered(held)
            ],
        )
        for attempt in attempts
    ]
    outcomes = rules.decide(rule_of(ruling), covered)
    return [
        _with_marks(
            attempt,
            {d.held.answer: (d.mark, d.core_version) for d in outcome.decided if d.appends},
        )
        for attempt, outcome in zip(attempts, outcomes, strict=True)
    ]


def _told(old: Tried, new: Tried) -> Outcome:
    decided = []
    for had, has in zip(old.held, new.held, strict=True):
        if not rules.same(had.mark, has.mark):
            way = rules.way_of(old, new, had.mark, has.mark)
            decided.append(Decided(old.attempt, had, has.mark, has.core_version, way))
    outcome = Outcome(old, new.points, new.out_of, decided)
    if passing := outcome.passing:
        outcome = replace(outcome, decided=[replace(d, passing=passing) for d in decided])
    return outcome


def seen(ruling: Ruling) -> dict[str, Any]:
    """By which it is told whether anything has changed: the marks that it is about, and the rulings
    that stand there.
    """
    covered = ruling.undoes if ruling.kind == Kind.UNDO else ruling
    grades = Grade.objects.filter(within(covered, "answer__")).order_by()
    told = grades.aggregate(grades=Count("pk"), sum=Sum("pk"))
    told = {name: int(number or 0) for name, number in told.items()}
    standing = Ruling.objects.filter(quiz=ruling.quiz_id).exclude(state=State.DRAFT)
    if ruling.sitting_id is not None:
        standing = standing.filter(Q(sitting=None) | Q(sitting=ruling.sitting_id))
    states = standing.order_by().values_list("state").annotate(Count("pk"))
    return told | {"rulings": dict(states)}


def stale_lines(ruling: Ruling) -> QuerySet[RulingLine]:
    """Those whose mark is not the latest any more, or is of an answer that does not count."""
    newer = Grade.objects.filter(answer=OuterRef("answer"), pk__gt=OuterRef("grade_before"))
    return RulingLine.objects.filter(ruling=ruling).filter(Exists(newer) | ~counts("answer__"))


def choices_of(ruling: Ruling) -> dict[str, dict[str, Any]]:
    """Every choice that a question in the scope ever offered, by its key, removed ones too.

    Of the wordings that items asked in, the latest says how a choice reads.
    """
    asked = Item.objects.filter(question=ruling.question_id, attempt__quiz=ruling.quiz_id)
    if ruling.question_id is None:
        return {}
    latest = asked.order_by().values("wording").annotate(last=Max("pk")).order_by("last")
    keys = [row["wording"] for row in latest]
    wordings = Wording.objects.read(keys)
    return {choice["key"]: choice for key in keys for choice in wordings[key]["choices"]}


def troubles(ruling: Ruling) -> dict[str, str]:
    """What is wrong with its values, by their names."""
    choices = choices_of(ruling) if ruling.kind == Kind.KEY else {}
    out_of = None
    if ruling.kind == Kind.ADJUST and ruling.item_id:
        marks = held_marks(within(ruling, "answer__"), quiz=ruling.quiz_id, numbers=False)
        out_of = next((held.mark.out_of for each in marks.values() for held in each), None)
        if not out_of:
            return {"points": _("This question does not count, or has not been marked.")}
    return rules.troubles(rule_of(ruling), ruling.scope, choices=choices, out_of=out_of)


def in_need(ruling: Ruling) -> QuerySet[Submission]:
    """What could not be marked and would be by it: whoever marks again accepts today's solution."""
    if ruling.kind != Kind.REGRADE:
        return Submission.objects.none()
    answers = Answer.objects.filter(within(ruling), submission__state=Submission.State.ATTENTION)
    return Submission.objects.filter(HANDED_IN, pk__in=answers.values("submission"))


# Those of a desk


def may_rule_over(user: Any, attempt: Attempt) -> bool:
    """At the site's desk: over those who learn alone, and as an administrator over everybody."""
    alone = attempt.sitting is not None and not attempt.sitting.given_in
    return user.has_perm("quizzes.add_ruling") and (alone or user.is_superuser)


def chosen_rulings(within: QuerySet[Ruling], *, state: str, kind: str, order: str) -> QuerySet:
    """The rulings that are asked for, the latest first."""
    found = within.select_related("quiz", "sitting", "slot", "question", "item", "by", "undoes")
    if state:
        found = found.filter(state=state)
    if kind:
        found = found.filter(kind=kind)
    orders = {"oldest": ("pk",), "most": ("-lines_to_do", "-pk")}
    return found.order_by(*orders.get(order, ("-pk",)))


def chosen_lines(
    ruling: Ruling, sittings: QuerySet | None, *, outcome: str, order: str
) -> QuerySet[RulingLine]:
    """The lines that are asked for, of attempts at these sittings; by name."""
    lines = RulingLine.objects.filter(ruling=ruling)
    if sittings is not None:
        lines = lines.filter(attempt__sitting__in=sittings)
    if outcome in ("gained", "lost"):
        lines = lines.filter(passing=1 if outcome == "gained" else -1)
    elif outcome:
        lines = lines.filter(outcome=outcome)
    lines = lines.select_related("attempt__student", "answer__item", "grade_before")
    by_name = ("attempt__student__name", "attempt__student__email", "attempt", "pk")
    gain = F("points") - F("grade_before__points")
    orders = {"gain": (gain.desc(), *by_name), "loss": (gain.asc(), *by_name)}
    return lines.order_by(*orders.get(order, by_name))


def corrected_keys(attempt: Attempt) -> dict[int, list[Ruling]]:
    """The corrections of keys that stand over an attempt's questions, by the question."""
    found: dict[int, list[Ruling]] = defaultdict(list)
    for ruling in _corrections(attempt.quiz_id, attempt.sitting_id):
        found[ruling.question_id].append(ruling)
    return found


@prepared
def _corrections(quiz: int, sitting: int) -> QuerySet[Ruling]:
    applied = Ruling.objects.filter(state=State.APPLIED, kind=Kind.KEY)
    keys = applied.filter(quiz=quiz)
    keys = keys.filter(Q(sitting=None) | Q(sitting=sitting))
    return keys.filter(question__isnull=False).order_by("accepted_at", "pk")
