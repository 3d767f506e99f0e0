"""Deadlines of running attempts: extra time, and changed settings.

No attempt gets shorter unless that is asked for, because students count on the time they were
shown. The student's page learns a new deadline with its next save.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from quizzes.delivery.effective_settings import (
    EffectiveSettings,
    added_extra_time,
    deadline_of,
    extra_time_for,
    given_to,
)
from quizzes.errors import NotOpen, Refused
from quizzes.models import Attempt, ExtraTime, Sitting

SETTINGS_FIELDS = ("minutes", "closes_at", "extra_time", "deadline")


@dataclass
class DeadlineChanges:
    """The effect of new settings on running attempts.

    Attributes:
        changed: how many end at another time.
        kept: how many would end earlier by the new settings, and keep their time.
    """

    changed: int = 0
    kept: int = 0


@transaction.atomic
def grant_extra_time(*, granted: ExtraTime) -> int:
    """Save extra time and apply it at once. Return how many running attempts it changed."""
    granted.save()
    return _reset_deadlines(granted.student, may_shorten=False)


@transaction.atomic
def withdraw_extra_time(*, granted: ExtraTime) -> int:
    """Delete extra time, also from running attempts. Return how many it changed."""
    granted.delete()
    return _reset_deadlines(granted.student, may_shorten=True)


@transaction.atomic
def extend_attempt(*, attempt: Attempt, until: datetime) -> Attempt:
    """Extend a running attempt until then, whatever its settings become. Return it.

    Raises:
        NotOpen: it takes no more answers.
        Refused: it has no time limit, or as much time already.
    """
    locked = Attempt.objects.select_for_update().get(pk=attempt.pk)
    if not locked.takes_answers(timezone.now()):
        raise NotOpen(_("The attempt was already over."))
    if locked.deadline is None:
        raise Refused(_("The attempt has no time limit."))
    if locked.deadline >= until:
        raise Refused(_("The attempt already runs that long."))
    locked.deadline = locked.kept_open_until = until
    locked.save(update_fields=["deadline", "kept_open_until"])
    return locked


@transaction.atomic
def change_settings(
    *, sitting: Sitting, settings: Mapping[int, EffectiveSettings], may_shorten: bool = False
) -> DeadlineChanges:
    """Apply new settings, by the student's key, to the running attempts of a sitting.

    Extra time granted for a single attempt stays.
    """
    done = DeadlineChanges()
    running = _running().filter(sitting=sitting, student__in=list(settings))
    own = {each.attempt_id: each for each in ExtraTime.objects.filter(attempt__in=running)}
    for attempt in running:
        found = settings[attempt.student_id]
        extra = own.get(attempt.pk, found.extra)
        _update_deadline(attempt, found.minutes, found.closes_at, extra, may_shorten, done)
    return done


def _reset_deadlines(student: Any, *, may_shorten: bool) -> int:
    """Set the extra time of this student's open attempts, and so their deadlines.

    It is added to the time that an attempt began with, whatever has become of its sitting since.
    """
    done = DeadlineChanges()
    in_class = {settings.sitting.pk: settings.extra for settings in given_to(student)}
    for attempt in _running().filter(student=student, minutes__isnull=False):
        extra = extra_time_for(student, attempt)
        if attempt.sitting_id in in_class and not (extra and extra.attempt_id):
            extra = in_class[attempt.sitting_id]
        _update_deadline(attempt, attempt.minutes, attempt.closes_at, extra, may_shorten, done)
    return done.changed


def _running() -> QuerySet[Attempt]:
    return Attempt.objects.select_for_update().graded().open()


def _update_deadline(
    attempt: Attempt,
    minutes: int | None,
    closes_at: datetime | None,
    extra: ExtraTime | None,
    may_shorten: bool,
    done: DeadlineChanges,
) -> None:
    was = tuple(getattr(attempt, name) for name in SETTINGS_FIELDS)
    asked = _end(attempt, minutes, closes_at, added := added_extra_time(minutes, extra))
    if not may_shorten:
        minutes = _longer(attempt.minutes, minutes)
        closes_at = _longer(attempt.closes_at, closes_at)
        added = max(added_extra_time(minutes, extra), attempt.extra_time)
    deadline = _end(attempt, minutes, closes_at, added)
    settings = (minutes, closes_at, added, deadline)
    if _longer(asked, deadline) != asked:
        done.kept += 1
    if settings != was:
        for name, value in zip(SETTINGS_FIELDS, settings, strict=True):
            setattr(attempt, name, value)
        attempt.save(update_fields=SETTINGS_FIELDS)
        done.changed += 1


def _end(
    attempt: Attempt, minutes: int | None, closes_at: datetime | None, added: Any
) -> datetime | None:
    if attempt.reopened:  # its deadline was set by hand
        return attempt.deadline
    end = deadline_of(attempt.started_at, minutes, closes_at, added)
    return _longer(end, attempt.kept_open_until) if attempt.kept_open_until else end


def _longer(one: Any, other: Any) -> Any:
    """Return the later, or the larger, of two; None is endless."""
    return None if one is None or other is None else max(one, other)
