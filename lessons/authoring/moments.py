"""Grouping of history records: one change of a lesson is one entry of its history."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.dispatch import receiver
from django.utils import timezone
from simple_history.signals import pre_create_historical_record


@dataclass(frozen=True)
class Moment:
    """The time, user and reason of a change."""

    when: datetime
    user: Any
    reason: str


_now: ContextVar[Moment | None] = ContextVar("moment", default=None)


@contextmanager
def group_history(*, user: Any = None, reason: str = "") -> Iterator[Moment]:
    """Group everything saved inside into one history entry, or into that of an outer block."""
    moment = _now.get() or Moment(timezone.now(), user, reason)
    token = _now.set(moment)
    try:
        yield moment
    finally:
        _now.reset(token)


@receiver(pre_create_historical_record)
def _stamp(sender, history_instance, **_: Any) -> None:
    moment = _now.get()
    if moment is not None and sender._meta.app_label == "lessons":
        history_instance.history_date = moment.when
        history_instance.history_user = moment.user
        history_instance.history_change_reason = moment.reason or None
