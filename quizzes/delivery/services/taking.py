"""Taking a quiz: start, save, submit, and the clock that closes overdue attempts."""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.cache import caches
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.database import DATABASE_UNAVAILABLE
from foundation.locking import lock_free
from foundation.prepared import prepared
from quizzes import problems
from quizzes.bulk import insert_row, insert_rows
from quizzes.delivery.effective_settings import EffectiveSettings, extra_time_for, own_settings
from quizzes.delivery.queries.attempts import graded_attempts, item_at, items_of
from quizzes.delivery.services.item_selection import (
    build_items,
    insert_items,
    lock_slots,
    lock_student,
    variant_kinds,
)
from quizzes.delivery.services.stocking import claim_variants, draw_for_exams
from quizzes.delivery.sql import DRAFT_FIELDS, write_draft, write_submitted
from quizzes.errors import NotOpen, NotReady, Outdated
from quizzes.models import GRACE, Answer, Attempt, Item, Quiz, Submission, final_number
from quizzes.problems.answers import nest

logger = logging.getLogger(__name__)

# How long a start may draw numbers, before its page says that they are being drawn.
MAX_DRAWING_SECONDS = 0.3


def start_attempt(*, student, quiz: Quiz, settings: EffectiveSettings | None = None) -> Attempt:
    """Start a graded attempt with its own fifteen items, or return the open one.

    Without `settings` it is at the quiz's own sitting. An attempt keeps the settings that it begins
    with. Two starts at once give one attempt. Lacking numbers are drawn, for a third of a second at
    most.

    Raises:
        NotOpen: the quiz is closed, a draft or broken, or no attempt is left.
        NotReady: numbers are still lacking. The next call continues drawing.
    """
    until = time.monotonic() + MAX_DRAWING_SECONDS
    while True:
        try:
            attempt = _start(student, quiz, settings)
        except NotReady as lack:
            if not draw_for_exams(lacking=lack.lacking, until=until):
                raise
        else:
            if not attempt.is_overdue(timezone.now()):
                return attempt
            # Its time is up: close it, and start another.
            _close(attempt.pk, wait=True)


@transaction.atomic
def _start(student, quiz: Quiz, settings: EffectiveSettings | None) -> Attempt:
    lock_student(student)
    settings = settings or own_settings(quiz.own_sitting, extra_time_for(student))
    sitting = settings.sitting
    exams = graded_attempts(student)
    attempts = [exam for exam in exams if exam.sitting_id == sitting.pk]
    if running := next((attempt for attempt in attempts if attempt.is_open), None):
        return running
    now = timezone.now()
    used = len(attempts)
    if not quiz.published:
        raise NotOpen(_("This quiz isn’t open."))
    if not settings.has_opened(now):
        raise NotOpen(_("This quiz hasn’t opened yet."))
    if settings.has_closed(now):
        raise NotOpen(_("This quiz has closed."))
    if settings.attempts_allowed is not None and used >= settings.attempts_allowed:
        raise NotOpen(_("You’ve used all your attempts at this quiz."))
    slots = lock_slots(quiz)
    variants = claim_variants(student=student, kinds=variant_kinds(slots))
    items = build_items(student, slots, variants=variants, exams=exams, quiz=quiz, sitting=sitting)
    attempt = Attempt(
        student=student,
        quiz=quiz,
        sitting=sitting,
        number=used + 1,
        started_at=now,
        minutes=settings.minutes,
        closes_at=settings.closes_at,
        deadline=settings.deadline(now),
        extra_time=settings.extra_time,
        out_of=sum(item.points for item in items),
    )
    insert_row(attempt)
    insert_items(attempt, items)
    return attempt


@dataclass(frozen=True)
class Save:
    """A change of one item's draft.

    Attributes:
        fields: raw text by field.
        revision: the revision that this change was made on.
        token: the change's own; the same token and fields again are the same save.
    """

    fields: Mapping[str, Any]
    revision: int
    token: str


def save_draft(*, attempt: Attempt, position: int, save: Save) -> Item:
    """Save a draft if it was made on the stored revision. Return the item as it is now stored.

    A retry, with the same token and fields, gets the same receipt. Submitting and saving lock the
    attempt, so a save that was acknowledged is in the answer.

    Raises:
        NotOpen: the attempt takes no more answers.
        Outdated: another save came first, or this token saved something else; carries the item as
            it is stored.
        Item.DoesNotExist: there is no such position.
    """
    now = timezone.now()
    item = item_at(attempt, position)
    if item.revision == save.revision and not _has_its_token(item, save):
        _write(item, save, now)
        if write_draft(item, based_on=save.revision, now=now):
            return item
    # The single statement wrote nothing: lock the attempt to find out why.
    with transaction.atomic():
        locked = Attempt.objects.select_for_update().filter(pk=attempt.pk).first()
        if locked is None:  # a preview that was deleted at this very moment
            raise Item.DoesNotExist
        item = item_at(locked, position)
        if not locked.takes_answers(now) and not _is_retry(item, save):
            raise NotOpen(_("This attempt no longer accepts answers."))
        apply_save(item, save, now)
    return item


def apply_save(item: Item, save: Save, now: datetime) -> None:
    """Write a save into the draft it was made on; the caller has locked the attempt."""
    if _is_retry(item, save):
        return
    if item.revision != save.revision or _has_its_token(item, save):
        raise Outdated(_("Your answer to this question was changed on another page."), item)
    _write(item, save, now)
    item.save(update_fields=DRAFT_FIELDS)


def _is_retry(item: Item, save: Save) -> bool:
    """Return whether this very save has been stored already."""
    return _has_its_token(item, save) and not has_changes(item, save.fields)


def _has_its_token(item: Item, save: Save) -> bool:
    return bool(item.token) and item.token == save.token


def has_changes(item: Item, fields: Mapping[str, Any]) -> bool:
    """Return whether these fields differ from the draft."""
    cleaned = problems.clean_draft(item.asked, fields)
    return any(text != item.draft.get(field, "") for field, text in cleaned.items())


def _write(item: Item, save: Save, now: datetime) -> None:
    item.draft = item.draft | problems.clean_draft(item.asked, save.fields)
    item.revision += 1
    item.token = save.token
    item.saved_at = now


def flag_item(*, attempt: Attempt, position: int, flagged: bool) -> None:
    """Flag an item for a second look, or remove its flag.

    Raises:
        NotOpen: the attempt takes no more answers.
        Item.DoesNotExist: there is no such position.
    """
    if not attempt.takes_answers(timezone.now()):
        raise NotOpen(_("This attempt no longer accepts answers."))
    if not Item.objects.filter(attempt=attempt, position=position).update(flagged=flagged):
        raise Item.DoesNotExist


def submit_attempt(
    *,
    attempt: Attempt,
    saves: Mapping[int, Save] | None = None,
    key: str = "",
    by_staff: bool = False,
) -> Submission:
    """Freeze drafts, and the saves that come with the submit, into answers to be marked.

    A save counts if it was made on the stored draft; a draft saved elsewhere since is newer, and
    stays. Saves that arrive after the deadline and its grace do not count; the stored drafts do.
    Submitting again returns the same submission. `by_staff` says that somebody else submits it for
    the student, who is told so on its page.

    Raises:
        Attempt.DoesNotExist: it is a preview that its author has deleted meanwhile.
    """
    now = timezone.now()
    with transaction.atomic():
        locked = next(iter(_locked(attempt)), None)
        if locked is None:
            raise Attempt.DoesNotExist
        if not locked.is_open:
            return Submission.objects.final().get(attempt=locked)
        items = items_of(locked)
        in_time = locked.takes_answers(now)
        if in_time and saves:
            _apply_saves(items, saves, now)
        return _freeze(locked, items, now=now, key=key, by_staff=by_staff)


@prepared
def _locked(attempt: Attempt) -> QuerySet[Attempt]:
    return Attempt.objects.select_for_update().filter(pk=attempt).order_by()


def _apply_saves(items: list[Item], saves: Mapping[int, Save], now: datetime) -> None:
    changed = []
    for item in items:
        save = saves.get(item.position)
        # With the same token this very page saved the draft, and has what was typed since.
        stands = save and (save.revision == item.revision or _has_its_token(item, save))
        # An unchanged draft keeps its token, because its save may be retried for its receipt.
        if stands and has_changes(item, save.fields):
            _write(item, save, now)
            changed.append(item)
    Item.objects.bulk_update(changed, DRAFT_FIELDS)


def _freeze(
    attempt: Attempt, items: list[Item], *, now: datetime, key: str = "", by_staff: bool = False
) -> Submission:
    by_clock = attempt.is_time_up(now)
    submission = Submission.objects.create(
        attempt=attempt,
        number=final_number(attempt.reopened),
        key=key[:64],
        received_at=now,
        by_staff=by_staff and not by_clock,
    )
    answers = [(submission.pk, item.pk, nest(item.asked, item.draft)) for item in items]
    insert_rows(Answer, ("submission", "item", "raw"), answers)
    attempt.state = Attempt.State.SUBMITTED
    attempt.submitted_at = now
    attempt.closed_by_clock = by_clock
    write_submitted(attempt)
    return submission


def close_overdue(*, seconds: float = 2.0) -> int:
    """Close attempts whose deadline and grace are over, with the drafts saved in time.

    Return how many. The longest overdue come first, one transaction each. One that cannot be closed
    stays open, is reported as needing attention, and is tried again after a minute.
    """
    until = time.monotonic() + seconds
    closed = 0
    overdue = Attempt.objects.open().filter(deadline__lt=timezone.now() - GRACE)
    for pk in list(overdue.order_by("deadline").values_list("pk", flat=True)):
        if caches["local"].get(key := f"cannot-close:{pk}"):
            continue
        try:
            closed += _close(pk, wait=False)
        except DATABASE_UNAVAILABLE:
            raise
        except Exception:
            caches["local"].set(key, True, 60)
            logger.exception("attempt %s needs attention: it cannot be closed", pk)
        if time.monotonic() >= until:
            break
    return closed


def _close(pk: int, *, wait: bool) -> bool:
    """Close an overdue attempt. Return False if another has or, without `wait`, has locked it."""
    now = timezone.now()
    rows = Attempt.objects.filter(pk=pk)
    with transaction.atomic():
        attempt = (rows.select_for_update() if wait else lock_free(rows)).first()
        if attempt is None or not attempt.is_overdue(now):
            return False
        _freeze(attempt, items_of(attempt), now=now)
    return True
