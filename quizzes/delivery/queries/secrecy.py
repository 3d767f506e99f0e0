"""Questions and marks that are secret from a student while an exam still asks the questions.

Every page, file and email that shows a student anything of an attempt calls this module:
`visible_marks` for figures, `secret_questions` for the questions themselves. Instructors see
everything (`ShownMarks.whole`).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import fsum
from typing import Any

from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet, Subquery

from foundation.prepared import prepared
from quizzes.authoring.queries import with_last_deadline
from quizzes.items.queries import _distinct_values
from quizzes.models import (
    UNRELEASED_SECRECY,
    AskedQuestion,
    Attempt,
    ConceptQuestion,
    Grade,
    Item,
    PooledQuestion,
    Ruling,
    RulingLine,
    Sitting,
    Slot,
    Submission,
)
from quizzes.passing import earned_share, is_passed

# Secret questions


@dataclass(frozen=True)
class Secrets:
    """The sittings and exams that keep questions secret from a student, as lists for queries.

    Attributes:
        sittings: those that show their results later; `quizzes` are theirs.
        exams: the student's own that are open.
    """

    sittings: list[int]
    quizzes: list[int]
    exams: list[int]

    def __bool__(self) -> bool:
        return bool(self.sittings or self.exams)

    @property
    def lists(self) -> tuple[list[int], list[int], list[int]]:
        return self.sittings, self.quizzes, self.exams


NO_SECRETS = Secrets([], [], [])


def find_secrets(student, now: datetime) -> Secrets:
    """Return what keeps questions secret from this student now, with one query."""
    return _secrets(student.pk, now)


def _secrets(student: int | None, now: datetime) -> Secrets:
    found = _secrecy_sources(student or 0, now, now - UNRELEASED_SECRECY)
    kept = [(sitting, quiz) for sitting, quiz, is_later, _exam in found if is_later]
    return Secrets(
        sittings=sorted(sitting for sitting, _quiz in kept),
        quizzes=sorted({quiz for _sitting, quiz in kept}),
        exams=sorted(exam for *_rest, exam in found if exam is not None),
    )


@prepared
def _secrecy_sources(student: int, now: datetime, long_ago: datetime) -> QuerySet:
    """Return the sittings that show results later, and those of this student's open exams.

    The former include only sittings that somebody may still take or has taken.
    """
    at = Attempt.objects.graded().filter(sitting=OuterRef("pk"))
    own = Attempt.objects.graded().open().filter(student=student)
    is_taken = Exists(at.open().filter(deadline__gt=now))
    by_hand = Q(release=Sitting.Release.BY_HAND, released=False)
    after_close = Q(release=Sitting.Release.AFTER_CLOSE)
    later = (by_hand & (_closes_after(long_ago) | Q(is_taken))) | (
        after_close & (_closes_after(now) | Q(is_taken))
    )
    later &= Q(quiz__published=True) | Q(Exists(at))
    sittings = Sitting.objects.filter(later | Q(pk__in=own.values("sitting")))
    is_own = own.filter(sitting=OuterRef("pk")).order_by()
    sittings = sittings.annotate(later=later, own=Subquery(is_own.values("pk")[:1]))
    return sittings.order_by().values_list("pk", "quiz", "later", "own")


def _closes_after(moment: Any) -> Q:
    """Return the condition that a sitting closes for somebody after this moment, or never."""
    return Q(closes_at=None) | Q(closes_at__gt=moment) | Q(last_closes_at__gt=moment)


def _secret(
    sittings: list[int], quizzes: list[int], exams: list[int]
) -> QuerySet[ConceptQuestion, ConceptQuestion]:
    """Return the questions asked at these sittings or in these exams, or askable in these quizzes.

    All versions of each, because one reveals the others.
    """
    return ConceptQuestion.every.filter(_is_secret(sittings, quizzes, exams)).order_by()


def _is_secret(sittings: list[int], quizzes: list[int], exams: list[int], question: str = "") -> Q:
    """Return the condition that a question is secret; `question` is the lookup path to it."""
    asked = AskedQuestion.objects.filter(sitting__pk__in=sittings)
    frozen = PooledQuestion.objects.filter(quiz__pk__in=quizzes)
    own = Item.objects.filter(attempt__pk__in=exams, question__isnull=False).order_by()
    whole = _asked_whole().filter(quiz__pk__in=quizzes).order_by()
    keys = (asked.values("question__key"), frozen.values("key"), own.values("question__key"))
    secret = Q(**{f"{question}topic__in": whole.values("topic")})
    for each in keys:
        secret |= Q(**{f"{question}key__in": each})
    return secret


def _asked_whole() -> QuerySet[Slot]:
    """Return the slots whose topic has no frozen questions, so that any question on it is asked."""
    pool = PooledQuestion.objects.filter(quiz=OuterRef("quiz"), topic=OuterRef("topic"))
    return Slot.objects.filter(~Exists(pool))


def secret_questions(student, now: datetime, secrets: Secrets | None = None) -> set[int]:
    """Return the questions whose answers must not be shown to this student now.

    These are asked in an open exam of theirs, or may be asked or have been asked of anybody by a
    quiz that shows its results later. A quiz whose results are released by hand keeps its questions
    secret for 30 days after it closed for the last student, and no longer.
    """
    secrets = find_secrets(student, now) if secrets is None else secrets
    return set(_questions(*secrets.lists)) if secrets else set()


@prepared
def _questions(sittings: list[int], quizzes: list[int], exams: list[int]) -> QuerySet:
    return _secret(sittings, quizzes, exams).values_list("pk", flat=True)


def questions_hidden_in_practice(student, now: datetime) -> set[int]:
    """Return the questions that practice must not ask this student, nor reveal anything about."""
    reserved = ConceptQuestion.every.filter(reserved=True).order_by()
    return secret_questions(student, now) | set(reserved.values_list("pk", flat=True))


def exclude_secret(grades: QuerySet[Grade], *lists: list[int]) -> QuerySet[Grade]:
    """Exclude grades of answers to the secret questions in `Secrets.lists`, or decided by these."""
    grades = grades.exclude(answer__item__question__in=_secret(*lists))
    return exclude_decided_by_secret(grades, *lists)


def exclude_decided_by_secret(grades: QuerySet[Grade], *lists: list[int]) -> QuerySet[Grade]:
    """Exclude grades for which regrades looked at a whole attempt that has secret questions."""
    secret = Item.objects.filter(
        attempt=OuterRef("answer__item__attempt"), question__in=_secret(*lists)
    )
    regraded = _decided_by_whole(RulingLine.objects.filter(answer=OuterRef("answer")))
    return grades.exclude(Exists(regraded) & Exists(secret))


def _decided_by_whole(lines: QuerySet[RulingLine]) -> QuerySet[RulingLine]:
    """Return the lines that reveal something of the other questions of their attempts.

    With never lower, an item that is out of other points than before depends on the share of the
    whole attempt; so does whatever is decided again once another regrade is undone.
    """
    asks = Q(ruling__never_lower=True) | Q(ruling__kind=Ruling.Kind.UNDO)
    lines = lines.filter(asks).exclude(ruling__state=Ruling.State.DRAFT)
    return lines.exclude(out_of=F("grade_before__out_of"))


def exclude_secret_lines(lines: QuerySet[RulingLine], now: datetime) -> QuerySet[RulingLine]:
    """Exclude a regrade's lines that reveal secret questions to their students."""
    kept = _secrets(None, now)
    own = Item.objects.graded().open()
    own = own.filter(
        attempt__student=OuterRef("attempt__student"), question__key=OuterRef("question__key")
    )
    secret = Item.objects.filter(Q(question__in=_secret(*kept.lists)) | Exists(own))
    by_whole = _decided_by_whole(RulingLine.objects.filter(pk=OuterRef("pk")))
    lines = lines.exclude(Exists(secret.filter(pk=OuterRef("answer__item"))))
    return lines.exclude(Exists(by_whole) & Exists(secret.filter(attempt=OuterRef("attempt"))))


# Marks


@dataclass(frozen=True)
class ShownMarks:
    """The marks of an attempt that may be shown: those that reveal no secret question.

    Attributes:
        left_out: how many questions are not shown.
        at_stake: their points as they were asked, because regraded ones might reveal something.
    """

    points: float
    out_of: float
    left_out: int = 0
    at_stake: int = 0

    @classmethod
    def whole(cls, attempt: Attempt) -> "ShownMarks":
        """Return all marks of an attempt, for instructors and authors."""
        return cls(attempt.score, attempt.out_of)

    @property
    def share(self) -> float:
        return earned_share(self.points, self.out_of)

    def passes(self, pass_mark: int) -> bool | None:
        """Return whether it passes whatever is left out; None if what is left out decides that."""
        whole = self.out_of + self.at_stake
        least = is_passed(self.points, whole, pass_mark)
        most = is_passed(self.points + self.at_stake, whole, pass_mark)
        return least if least == most else None


@dataclass(frozen=True)
class VisibleMarks:
    """The marks that a student may be shown at one moment, from `visible_marks`."""

    now: datetime
    secrets: Secrets = NO_SECRETS
    _withheld: Mapping[int, Collection[int]] = field(default_factory=dict)
    _partly: Mapping[int, ShownMarks] = field(default_factory=dict)
    # Items whose marks were decided by other, secret ones; they are withheld too.
    decided: Collection[int] = ()
    # The attempts that were asked for; None for all.
    _among: Collection[int] | None = None

    def of(self, attempt: Attempt) -> ShownMarks | None:
        """Return the marks to show of this attempt; None before they are made and released."""
        if not _is_out(attempt, self.now) or (
            self._among is not None and attempt.pk not in self._among
        ):
            return None
        if attempt.pk in self._withheld:
            return self._partly.get(attempt.pk)
        return ShownMarks.whole(attempt)

    def withheld(self, attempt: Attempt) -> Collection[int]:
        """Return the items of this attempt about which nothing may be shown."""
        return self._withheld.get(attempt.pk, ())

    @property
    def partly(self) -> Mapping[int, ShownMarks]:
        """The attempts that are shown only in part, by their keys."""
        return self._partly

    def end(self, attempt: Attempt) -> datetime | None:
        """Return when nothing of this attempt will be secret any more; None if that is unknown."""
        return _end(self.secrets, self.withheld(attempt))


def _is_out(attempt: Attempt, now: datetime) -> bool:
    return attempt.score is not None and attempt.shows_results(now)


def visible_marks(
    student,
    now: datetime,
    attempts: Iterable[Attempt] | None = None,
    secrets: Secrets | None = None,
) -> VisibleMarks:
    """Return the marks that this student may see of these attempts, or of all their exams.

    It takes no query if no results are out, and one if nothing is secret. Another finds the secret
    items that the student was asked, and a third sums up the rest of those exams. Without a list,
    attempts may be read before or after it.
    """
    among = None
    if attempts is not None:
        among = sorted({each.pk for each in attempts if _is_out(each, now)})
        if not among:
            return VisibleMarks(now, _among=among)
    secrets = find_secrets(student, now) if secrets is None else secrets
    if not secrets:
        return VisibleMarks(now, _among=among)
    withheld: dict[int, set[int]] = {}
    at_stake: dict[int, int] = {}
    for attempt, item, points in _secret_items(student, *secrets.lists):
        if among is not None and attempt not in among:
            continue
        withheld.setdefault(attempt, set()).add(item)
        at_stake[attempt] = at_stake.get(attempt, 0) + points
    grades = _grades_in(sorted(withheld)) if withheld else []
    decided = set()
    for attempt, item, asked, by_whole, *_mark in grades:
        if by_whole and item not in withheld[attempt]:
            withheld[attempt].add(item)
            at_stake[attempt] += asked
            decided.add(item)
    kept: dict[int, list[tuple[float, float]]] = {attempt: [] for attempt, *_rest in grades}
    for attempt, item, _asked, _by_whole, *mark in grades:
        if item not in withheld[attempt]:
            kept[attempt].append(mark)
    partly = {
        attempt: ShownMarks(*_sums(marks), len(withheld[attempt]), at_stake[attempt])
        for attempt, marks in kept.items()
    }
    return VisibleMarks(now, secrets, withheld, partly, decided, among)


@prepared
def _secret_items(student, *lists: list[int]) -> QuerySet:
    # The condition is on these items, which are fewer than all questions.
    items = Item.objects.graded().filter(attempt__student=student)
    found = items.filter(_is_secret(*lists, question="question__")).order_by()
    return found.values_list("attempt", "pk", "points")


def _sums(marks: Collection[tuple[float, float]]) -> tuple[float, float]:
    """Return the sums of the points, and of what they are out of.

    They are summed up rather than subtracted, because rounding would reveal what was taken away.
    """
    return fsum(points for points, _ in marks), fsum(out_of for _, out_of in marks)


def _grades_in(attempts: list[int]) -> QuerySet:
    grades = Grade.objects.counting().latest()
    grades = grades.filter(answer__submission__attempt__pk__in=attempts)
    by_whole = Exists(_decided_by_whole(RulingLine.objects.filter(answer=OuterRef("answer"))))
    return grades.order_by("answer__item__position").values_list(
        *("answer__submission__attempt", "answer__item", "answer__item__points"),
        *(by_whole, "points", "out_of"),
    )


def _end(secrets: Secrets, items: Collection[int]) -> datetime | None:
    asked = Item.objects.filter(pk__in=items, question__isnull=False).order_by()
    asked = asked.values_list("question__key", "question__topic")
    keys, topics = sorted({key for key, _ in asked}), sorted({topic for _, topic in asked})
    ends = [sitting.secrets_end_at for sitting in _asking_sittings(secrets.sittings, keys, topics)]
    own = Item.objects.filter(attempt__in=secrets.exams, question__key__in=keys).order_by()
    ends += own.values_list("attempt__deadline", flat=True)
    return None if None in ends else max(ends, default=None)


def _asking_sittings(sittings: list[int], keys: list[str], topics: list[str]) -> QuerySet[Sitting]:
    """Return those of the sittings that asked, or may ask, any of these questions."""
    asked = AskedQuestion.objects.filter(sitting=OuterRef("pk"), question__key__in=keys)
    frozen = PooledQuestion.objects.filter(quiz=OuterRef("quiz"), key__in=keys)
    whole = _asked_whole().filter(quiz=OuterRef("quiz"), topic__in=topics)
    asking = Q(Exists(asked)) | Q(Exists(frozen)) | Q(Exists(whole))
    return with_last_deadline(Sitting.objects.filter(pk__in=sittings)).filter(asking).order_by()


# Questions asked and explained before


def explained_questions(student, now: datetime, exams: Sequence[Attempt]) -> set[str]:
    """Return the keys of questions whose explanation this student may have read.

    They read explanations in the results of these exams of theirs, and in practice.
    """
    readable = [exam.pk for exam in exams if not exam.is_open and exam.shows_results(now)]
    checked = Submission.objects.filter(attempt__student=student, item__question__isnull=False)
    explained = set(_distinct_values(checked, "item__question__key"))
    if readable:
        asked = Item.objects.filter(attempt__in=readable, question__isnull=False)
        explained.update(_distinct_values(asked, "question__key"))
    return explained


def last_asked(student) -> dict[str, int]:
    """Return the last item that asked this student each question, by the question's key.

    Previews do not count.
    """
    return dict(_last_asked(student))


@prepared
def _last_asked(student) -> QuerySet:
    asked = Item.objects.of_learners().filter(attempt__student=student, question__isnull=False)
    return asked.order_by().values_list("question__key").annotate(Max("pk"))
