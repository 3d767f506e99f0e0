"""Previews: an author takes a whole quiz as students do, and nothing of it counts.

The numbers come from the half for practice, so that exams lose none.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from quizzes import problems
from quizzes.authoring.queries import questions_to_ask, quiz_slots
from quizzes.delivery.effective_settings import extra_time_for, own_settings
from quizzes.delivery.services.item_selection import (
    SlotsChanged,
    build_items,
    insert_items,
    lock_slots,
    lock_student,
    variant_kinds,
)
from quizzes.delivery.services.stocking import lock_variants, pick_for_practice
from quizzes.delivery.services.taking import submit_attempt
from quizzes.errors import NotDrawn, NotOpen
from quizzes.items.queries import topic_titles
from quizzes.models import Attempt, Quiz, Slot, Submission, Variant
from quizzes.written.queries import withdrawn_slots

PREVIEW_LIFETIME = timedelta(days=14)
MAX_CLEARED = 500


def start_preview(*, author, quiz: Quiz, anew: bool = False) -> Attempt:
    """Start an author's preview of a quiz, published or not, or return the open one.

    Two starts at once give one preview. `anew` deletes the open one first.

    Raises:
        NotDrawn: there is nothing to ask for some slots.
    """
    while True:
        slots = quiz_slots(quiz)
        variants = None if _running(author, quiz) and not anew else _pick(author, quiz, slots)
        with suppress(SlotsChanged, Attempt.DoesNotExist), transaction.atomic():
            lock_student(author)
            if (running := _running(author, quiz)) and anew:
                delete_preview(attempt=running)
            elif running and running.is_overdue(timezone.now()):
                submit_attempt(attempt=running)
            elif running:
                return running
            lock_slots(quiz, slots)
            if variants is not None and lock_variants(variants):
                return _begin(author, quiz, slots, variants)


def find_empty_slots(quiz: Quiz, slots: Sequence[Slot]) -> list[str]:
    """Return which of these slots of a quiz have nothing to ask, a sentence each."""
    if not slots:
        return [_("The quiz has no slots yet, so there’s nothing to ask.")]
    topics = [slot.topic for slot in slots if slot.topic]
    left = Counter(topic for _pk, topic, _key, _reserved in questions_to_ask(topics, quiz))
    titles = topic_titles()
    withdrawn = withdrawn_slots(slots)
    troubles = []
    for slot in slots:
        values = {"position": slot.position, "topic": titles.get(slot.topic, slot.topic)}
        if slot in withdrawn:
            words = _("Slot %(position)s: this version of the problem was withdrawn.")
            troubles.append(words % values)
        elif slot.family:
            try:
                problems.family_of_kind(slot.kind)
            except problems.UnknownKind as unknown:
                words = _("Slot %(position)s: %(trouble)s.")
                troubles.append(words % (values | {"trouble": unknown}))
        elif left[slot.topic] > 0:
            left[slot.topic] -= 1
        else:
            words = _("Slot %(position)s: there are no questions left on “%(topic)s”.")
            troubles.append(words % values)
    return troubles


def _running(author, quiz: Quiz) -> Attempt | None:
    own = Attempt.objects.filter(student=author, quiz=quiz, mode=Attempt.Mode.PREVIEW)
    return own.open().first()


def _pick(author, quiz: Quiz, slots: Sequence[Slot]) -> list[Variant]:
    if troubles := find_empty_slots(quiz, slots):
        raise NotDrawn(troubles)
    try:
        return pick_for_practice(student=author, kinds=variant_kinds(slots))
    except NotOpen as lacking:
        words = _("Slot %(position)s: no numbers can be generated at these sizes.")
        empty = [slot for slot in slots if slot.family and not _has_numbers(author, slot)]
        troubles = [words % {"position": slot.position} for slot in empty]
        raise NotDrawn(troubles or [str(lacking)]) from None


def _has_numbers(author, slot: Slot) -> bool:
    try:
        return bool(pick_for_practice(student=author, kinds=variant_kinds([slot])))
    except NotOpen:
        return False


def _begin(author, quiz: Quiz, slots: Sequence[Slot], variants: Sequence[Variant]) -> Attempt:
    settings = own_settings(quiz.own_sitting, extra_time_for(author))
    now = timezone.now()
    # The author's own exams do not matter: authors can read all questions.
    items = build_items(author, slots, variants=variants, exams=(), quiz=quiz, in_preview=True)
    attempt = Attempt.objects.create(
        student=author,
        quiz=quiz,
        mode=Attempt.Mode.PREVIEW,
        started_at=now,
        minutes=settings.minutes,
        deadline=now + timedelta(minutes=settings.minutes) + settings.extra_time,
        extra_time=settings.extra_time,
        out_of=sum(item.points for item in items),
    )
    insert_items(attempt, items)
    return attempt


def delete_preview(*, attempt: Attempt) -> None:
    """Delete a preview with everything typed and marked; do nothing if it no longer exists."""
    while not _delete(attempt):
        pass


@transaction.atomic
def _delete(attempt: Attempt) -> bool:
    """Return False if it was submitted at this very moment."""
    # Locked in the same order as by marking, which then either ends first or finds nothing.
    handed_in = Submission.objects.filter(attempt=attempt.pk).order_by("pk")
    marked = len(handed_in.select_for_update().values_list("pk"))
    own = Attempt.objects.filter(pk=attempt.pk, mode=Attempt.Mode.PREVIEW)
    preview = own.select_for_update().first()
    if preview and handed_in.count() > marked:
        return False
    if preview:
        preview.delete()
    return True


def clear_previews() -> int:
    """Delete previews that began long ago. Return how many."""
    before = timezone.now() - PREVIEW_LIFETIME
    old = Attempt.objects.filter(mode=Attempt.Mode.PREVIEW, started_at__lt=before)
    found = list(old.order_by("started_at")[:MAX_CLEARED])
    for preview in found:
        delete_preview(attempt=preview)
    return len(found)
