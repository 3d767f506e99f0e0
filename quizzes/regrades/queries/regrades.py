"""Regrades: their scopes, the active ones, and those of a desk with their lines."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Sum

from foundation.prepared import prepared
from quizzes.models import (
    Answer,
    Attempt,
    Grade,
    Item,
    Quiz,
    Ruling,
    RulingLine,
    Submission,
    Wording,
    counting_condition,
    graded_condition,
)
from quizzes.regrades.rules import AttemptTotal, CurrentMark, MarkChange, mark_from_row, mark_values

Kind, Scope = Ruling.Kind, Ruling.Scope

# For each scope its attribute of `CurrentMark`, and its path from an item.
_BY = {
    Scope.SLOT: ("slot", "slot"),
    Scope.FAMILY: ("family", "variant__family"),
    Scope.QUESTION: ("question", "question"),
    Scope.VARIANT: ("variant", "variant"),
    Scope.ITEM: ("item", "pk"),
}


def scope_key(regrade: Ruling) -> Any:
    """Return what the scope is narrowed to; None if that was deleted."""
    if regrade.scope not in _BY:
        return None
    name, _path = _BY[Scope(regrade.scope)]
    return regrade.family if name == "family" else getattr(regrade, f"{name}_id")


def covers(regrade: Ruling, mark: CurrentMark) -> bool:
    """Return whether the regrade's scope includes the answer with this mark."""
    if regrade.sitting_id is not None and regrade.sitting_id != mark.sitting:
        return False
    part = scope_key(regrade)
    name, _path = _BY.get(regrade.scope, ("", ""))
    return not name or (part is not None and part == getattr(mark, name))


def covers_item(regrade: Ruling, item: Item) -> bool:
    """Return whether the scope of a regrade of its sitting includes this item."""
    part = scope_key(regrade)
    match regrade.scope:
        case Scope.FAMILY:
            return item.variant is not None and item.variant.family == part
        case Scope.SLOT | Scope.VARIANT | Scope.QUESTION:
            return part is not None and part == getattr(item, f"{regrade.scope}_id")
        case Scope.ITEM:
            return part == item.pk
    return True


def answers_in_scope(regrade: Ruling, answer: str = "") -> Q:
    """Return a filter for the answers in the scope that count; never previews or practice.

    `answer` is the lookup prefix of the answer, such as "answer__" for grades.
    """
    item, attempt = f"{answer}item__", f"{answer}submission__attempt__"
    wanted = (
        counting_condition(answer)
        & graded_condition(attempt)
        & Q(**{f"{attempt}quiz": regrade.quiz_id})
    )
    if regrade.sitting_id is not None:
        wanted &= Q(**{f"{attempt}sitting": regrade.sitting_id})
    if regrade.scope == Scope.ALL:
        return wanted
    if scope_key(regrade) is None:
        return Q(pk__in=())
    _name, path = _BY[Scope(regrade.scope)]
    return wanted & Q(**{f"{item}{path}": scope_key(regrade)})


def active_regrades(quiz: int, sitting: int | None = None) -> list[Ruling]:
    """Return the active regrades of a quiz, or of one sitting of it, in their order."""
    return list(Ruling.objects.active().over(sitting).filter(quiz=quiz).in_order())


def marks_fingerprint(regrade: Ruling) -> dict[str, Any]:
    """Return a fingerprint of the marks in the scope and of the quiz's regrades.

    It changes when either does.
    """
    covered = regrade.undoes if regrade.kind == Kind.UNDO else regrade
    grades = Grade.objects.filter(answers_in_scope(covered, "answer__")).order_by()
    marks = grades.aggregate(grades=Count("pk"), sum=Sum("pk"))
    marks = {name: int(number or 0) for name, number in marks.items()}
    standing = Ruling.objects.not_drafts().over(regrade.sitting_id).filter(quiz=regrade.quiz_id)
    states = standing.order_by().values_list("state").annotate(Count("pk"))
    return marks | {"rulings": dict(states)}


def stale_lines(regrade: Ruling, sittings: QuerySet | None = None) -> QuerySet[RulingLine]:
    """Return the lines whose mark is no longer the latest or whose answer no longer counts."""
    newer = Grade.objects.filter(answer=OuterRef("answer"), pk__gt=OuterRef("grade_before"))
    lines = _lines_at(regrade, sittings).select_related(*_OF_CHANGE)
    return lines.filter(Exists(newer) | ~counting_condition("answer__"))


def _lines_at(regrade: Ruling, sittings: QuerySet | None) -> QuerySet[RulingLine]:
    lines = regrade.lines.all()
    return lines if sittings is None else lines.filter(attempt__sitting__in=sittings)


def choices_ever_offered(regrade: Ruling) -> dict[str, dict[str, Any]]:
    """Return every choice that the question ever offered, removed ones too, by key.

    A choice reads as in the latest of the wordings that items asked in.
    """
    asked = Item.objects.filter(question=regrade.question_id, attempt__quiz=regrade.quiz_id)
    if regrade.question_id is None:
        return {}
    latest = asked.order_by().values("wording").annotate(last=Max("pk")).order_by("last")
    keys = [row["wording"] for row in latest]
    wordings = Wording.objects.read(keys)
    return {choice["key"]: choice for key in keys for choice in wordings[key]["choices"]}


def unmarked_submissions(regrade: Ruling) -> QuerySet[Submission]:
    """Return the submissions that could not be marked, but would be by today's solution."""
    if regrade.kind != Kind.REGRADE:
        return Submission.objects.none()
    answers = Answer.objects.filter(
        answers_in_scope(regrade), submission__state=Submission.State.ATTENTION
    )
    return Submission.objects.final().filter(pk__in=answers.values("submission"))


# Regrades of a desk


def can_regrade(user: Any, attempt: Attempt) -> bool:
    """Return whether a user may regrade an attempt at the site's desk.

    Owners may for independent learners' attempts at their quizzes, superusers for all.
    """
    alone = attempt.sitting is not None and not attempt.sitting.given_in
    owned = alone and Quiz.objects.owned_by(user).filter(pk=attempt.quiz_id).exists()
    return user.has_perm("quizzes.add_ruling") and (user.is_superuser or owned)


def filtered_regrades(
    within: QuerySet[Ruling], *, state: str = "", kind: str = "", order: str = ""
) -> QuerySet[Ruling]:
    """Return the filtered regrades, the latest first by default."""
    found = within.select_related(
        "quiz", "sitting", "slot", "question", "variant", "item", "by", "undoes"
    )
    if state:
        found = found.filter(state=state)
    if kind:
        found = found.filter(kind=kind)
    orders = {"oldest": ("pk",), "most": ("-lines_to_do", "-pk")}
    return found.order_by(*orders.get(order, ("-pk",)))


def filtered_lines(
    regrade: Ruling, sittings: QuerySet | None, *, outcome: str = "", order: str = ""
) -> QuerySet[RulingLine]:
    """Return the filtered lines of attempts at these sittings, by student by default."""
    lines = _lines_at(regrade, sittings)
    if outcome in ("gained", "lost"):
        lines = lines.filter(passing=1 if outcome == "gained" else -1)
    elif outcome:
        lines = lines.filter(outcome=outcome)
    by_name = ("attempt__student__name", "attempt__student__email", "attempt", "pk")
    gain = F("points") - F("grade_before__points")
    orders = {"gain": (gain.desc(), *by_name), "loss": (gain.asc(), *by_name)}
    return lines.select_related(*_OF_CHANGE).order_by(*orders.get(order, by_name))


_OF_CHANGE = ("answer__item", "grade_before")


def stored_changes(lines: Iterable[RulingLine]) -> list[MarkChange]:
    """Return the changes that these lines store."""
    return [
        MarkChange(
            *(line.attempt_id, line.answer.item.position, line.answer_id, line.grade_before_id),
            *(
                mark_from_row(*mark_values(line.grade_before)),
                mark_from_row(*mark_values(line)),
                line.core_version,
            ),
            *(line.outcome, AttemptTotal(line.score, line.score_out_of), line.passing),
        )
        for line in lines
    ]


class Corrections(NamedTuple):
    """The regrades that a review mentions beside an attempt's marks.

    Attributes:
        keys: the corrections of keys that apply, by question.
        left: by answer, the tolerance lines that left it alone because its solution has changed.
        accepting: those that accept answers to problems; each may cover any item.
        correcting: those that mark by another version of a problem, likewise.
    """

    keys: Mapping[int, Sequence[Ruling]] = MappingProxyType({})
    left: Mapping[int, Sequence[RulingLine]] = MappingProxyType({})
    accepting: Sequence[Ruling] = ()
    correcting: Sequence[Ruling] = ()

    def accepted_for(self, item: Item) -> list[str]:
        """Return the answers that are accepted for an item."""
        covering = [each for each in self.accepting if covers_item(each, item)]
        return [answer for each in covering for answer in each.values["accept"]]

    def correction_of(self, item: Item) -> Ruling | None:
        """Return the regrade that marks an item by a later version than was asked, if any."""
        covering = [each for each in self.correcting if covers_item(each, item)]
        if not (covering and item.variant):
            return None
        return covering[-1] if covering[-1].values["version"] > item.variant.version else None


NO_CORRECTIONS = Corrections()


def review_corrections(attempt: Attempt, answers: Iterable[int]) -> Corrections:
    """Return the corrections in force that the review of an attempt mentions."""
    keys: dict[int, list[Ruling]] = defaultdict(list)
    left: dict[int, list[RulingLine]] = defaultdict(list)
    standing = _corrections(attempt.quiz_id, attempt.sitting_id)
    for regrade in standing:
        if regrade.kind == Kind.KEY:
            keys[regrade.question_id].append(regrade)
    if any(regrade.kind == Kind.TOLERANCE for regrade in standing):
        lines = RulingLine.objects.filter(answer__in=answers, outcome=RulingLine.Outcome.STORED)
        lines = lines.filter(ruling__in=Ruling.objects.applied()).select_related("ruling")
        for line in lines.order_by("ruling__accepted_at", "pk"):
            left[line.answer_id].append(line)
    accepting = [each for each in standing if each.kind == Kind.ACCEPT]
    return Corrections(keys, left, accepting, [each for each in standing if each.corrects])


@prepared
def _corrections(quiz: int, sitting: int) -> QuerySet[Ruling]:
    applied = Ruling.objects.applied().over(sitting).filter(quiz=quiz)
    keys = Q(kind=Kind.KEY, question__isnull=False)
    versions = Q(kind=Kind.REGRADE, values__has_key="version")
    others = Q(kind__in=[Kind.TOLERANCE, Kind.ACCEPT])
    return applied.filter(keys | versions | others).in_order()
