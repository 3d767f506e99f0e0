"""Services for learners' own sentences, which the real model reads in a worker.

Rows are the queue: a request writes a waiting row and wakes a worker. The worker claims waiting
rows, runs the model outside any transaction, and writes the results. The claims of a dead worker
expire.
"""

import hashlib
import logging
import time
from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from foundation.locking import claim_first, unclaimed
from lessons.models import Sentence
from lessons.real_model import encoder

logger = logging.getLogger(__name__)

MAX_TOKENS = 24
MAX_LENGTH = 200
# The tokens that the model adds at both ends: [CLS] and [SEP].
_ENDS = 2
# One follows pronouns, one looks back a word, one looks ahead. More heads would take longer to draw
# than to compute.
HEADS = ((3, 1), (0, 2), (1, 8))

MAX_TRIES = 3
# A little more than a task's hard time limit.
CLAIM = timedelta(seconds=25)
KEPT_FOR = timedelta(days=30)


class Unreadable(ValueError):
    """A text that is empty, or longer than a sentence."""


@transaction.atomic
def request_reading(*, text: str) -> Sentence:
    """Return the row of this sentence: the existing one, or a new one that waits.

    Raises:
        Unreadable: the text is empty or too long. The model may still find it too long later.
    """
    text = normalize(text)
    if not text or len(text) > MAX_LENGTH or len(text.split()) > MAX_TOKENS:
        raise Unreadable(text)
    row, _ = Sentence.objects.get_or_create(text=text, defaults={"key": key_of(text)})
    if row.state == Sentence.State.FAILED:
        Sentence.objects.filter(pk=row.pk).update(state=Sentence.State.WAITING, tries=0)
        row.refresh_from_db()
    return row


def finished_sentence(text: str) -> Sentence | None:
    """Return the row of this sentence if it needs no reading any more."""
    done = (Sentence.State.READ, Sentence.State.TOO_LONG)
    return Sentence.objects.filter(text=normalize(text), state__in=done).first()


def normalize(text: str) -> str:
    """Return the text with single spaces and without NUL characters."""
    return " ".join(text.replace("\0", "").split())


def key_of(text: str) -> str:
    """Return the text's key in URLs, which can only be found by somebody who knows the text."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def read_waiting(*, seconds: float = 5.0) -> bool:
    """Read waiting sentences with the model for up to `seconds`. Return whether some may be left.

    Do nothing where the model is not installed: another worker may have it.
    """
    if not encoder.is_installed():
        return False
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        claimed = _claim()
        if claimed is None:
            return False
        _read(claimed)
    return True


def forget_old() -> None:
    """Delete sentences that were asked for long ago."""
    Sentence.objects.filter(asked_at__lt=timezone.now() - KEPT_FOR).delete()


def _claim() -> Sentence | None:
    """Claim the sentence that has waited longest."""
    waiting = Sentence.objects.filter(unclaimed(), state=Sentence.State.WAITING)
    oldest = waiting.order_by("asked_at", "pk")
    with claim_first(oldest, most=1) as taken:
        Sentence.objects.filter(pk__in=taken).update(
            claimed_until=timezone.now() + CLAIM, tries=F("tries") + 1
        )
    return Sentence.objects.filter(pk__in=taken).first()


def _read(row: Sentence) -> None:
    if row.tries > MAX_TRIES:
        logger.error("sentence %s cannot be read: tried %s times", row.pk, MAX_TRIES)
        _write(row, Sentence.State.FAILED, {})
        return
    try:
        reading = encoder.read(row.text, most=MAX_TOKENS + _ENDS)
    except encoder.TextTooLong as trouble:
        _write(row, Sentence.State.TOO_LONG, {"tokens": trouble.tokens - _ENDS})
    except Exception:
        # Another worker tries again when the claim expires.
        logger.exception("sentence %s cannot be read", row.pk)
    else:
        heads = [
            {
                "layer": n,
                "head": h,
                "weights": reading.weights[n][h].astype(float).round(4).tolist(),
            }
            for n, h in HEADS
        ]
        _write(row, Sentence.State.READ, {"tokens": list(reading.tokens), "heads": heads})


def _write(row: Sentence, state: Sentence.State, result: dict) -> None:
    waiting = Sentence.objects.filter(pk=row.pk, state=Sentence.State.WAITING)
    waiting.update(state=state, result=result, claimed_until=None)
