"""The worker's loop that claims due messages, sends them and records the result.

A worker claims messages in a short committed update, sends them outside any transaction, and
records each as sent. If a worker dies, the message it was sending is sent again, and its claims on
the others expire. A message that fails holds up no other: it alone is retried, after a longer pause
each time. Where the server cannot be reached at all, it is tried again after a minute, and the
other messages do not count as tried.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from django.contrib.auth import get_user_model
from django.core.cache import caches
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from foundation.database import DATABASE_UNAVAILABLE
from foundation.locking import lock_free, unclaimed
from outbox.kinds import Kind, Refused, RenderedMessage, Sender, get_kind, get_sender_factory, kinds
from outbox.models import Message, Preference
from outbox.queries import stored_preferences

logger = logging.getLogger(__name__)

State = Message.State
BATCH = 50
# One person's messages in one letter.
MAX_PER_LETTER = 100
# A little more than the task's hard time limit, so that a dead worker's claims expire on their own.
CLAIM = timedelta(seconds=25)
# After each try; after the last one the message has failed. 22 hours in all.
PAUSES = [timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 180, 360, 720)]
MAX_TRIES = len(PAUSES) + 1
# The pause before a server that could not be reached is tried again.
AWAY_SECONDS = 60  # seconds
# How long until a message that has to wait is checked again.
DELAY = timedelta(hours=1)
# The hour when digests are sent, in the site's time zone.
MORNING = 7


def send_waiting(*, seconds: float = 8.0) -> bool:
    """Send due messages for up to `seconds`. Return whether any may be left.

    Any number of workers may run this at once.
    """
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        claim = _claim_messages(_due_messages())
        if claim is None:
            return False
        _send(claim, until)
    return True


@dataclass(frozen=True)
class Claim:
    """Messages reserved for this worker until the claim expires."""

    owner: str
    messages: Sequence[Message]

    def rows(self, messages: Sequence[Message]) -> QuerySet[Message]:
        """Return the rows among these messages that are still claimed by this owner."""
        return Message.objects.filter(pk__in=[each.pk for each in messages], claimed_by=self.owner)


def _due_messages() -> QuerySet[Message]:
    """Return waiting, unclaimed messages that are due and whose sender's server is not away."""
    away = caches["default"].get_many({_away_key(kind) for kind in kinds()})
    return Message.objects.filter(
        unclaimed(), state=State.WAITING, due__lte=timezone.now()
    ).exclude(kind__in=[kind.key for kind in kinds() if _away_key(kind) in away])


def _away_key(kind: Kind) -> str:
    """Return the cache key that marks the kind's sender as unreachable."""
    return f"outbox:away:{kind.sender}"


def _claim_messages(due: QuerySet[Message]) -> Claim | None:
    """Claim the messages due longest, with those that go into the same letters."""
    first = list(due.order_by("due", "pk").values_list("pk", "to_id", "kind")[:BATCH])
    if not first:
        return None  # without taking SQLite's write lock
    owner, in_digests = uuid4().hex, [kind.key for kind in kinds() if kind.digest]
    with transaction.atomic():
        people = _lock_people({to for _pk, to, _kind in first})
        chosen = {pk for pk, to, _kind in first if to in people}
        for person in {to for _pk, to, kind in first if to in people and kind in in_digests}:
            others = due.filter(to=person, kind__in=in_digests, tries=0)
            chosen.update(
                others.order_by("due", "pk").values_list("pk", flat=True)[:MAX_PER_LETTER]
            )
        until = timezone.now() + CLAIM
        due.filter(pk__in=chosen).update(claimed_by=owner, claimed_until=until)
    ours = Message.objects.filter(pk__in=chosen, claimed_by=owner).select_related("to")
    return Claim(owner, list(ours.order_by("due", "pk"))) if people else None


def _lock_people(people: set[int]) -> set[int]:
    """Lock the people no other worker is claiming for, so that no digest is split."""
    rows = get_user_model().objects.filter(pk__in=people).order_by()
    return set(lock_free(rows, no_key=True).values_list("pk", flat=True))


def _send(claim: Claim, until: float) -> None:
    senders: dict[str, Sender] = {}
    left = list(claim.messages)
    try:
        for kind, together in _group_into_letters(claim):
            if time.monotonic() > until:
                break
            if kind.sender not in senders:
                senders[kind.sender] = get_sender_factory(kind)()
            if not _send_together(claim, senders[kind.sender], together):
                caches["default"].set(_away_key(kind), True, AWAY_SECONDS)
                break
            left = [each for each in left if each not in together]
    finally:
        for sender in senders.values():
            sender.close()
        if left:
            claim.rows(left).filter(state=State.WAITING).update(claimed_by="", claimed_until=None)


def _group_into_letters(claim: Claim) -> Iterator[tuple[Kind, list[Message]]]:
    """Yield the messages of each letter, without those that are switched off or have to wait."""
    preferences = stored_preferences({each.to_id for each in claim.messages})
    letters: dict[tuple[object, ...], list[Message]] = defaultdict(list)
    for message in claim.messages:
        try:
            kind = get_kind(message.kind)
        except ValueError as trouble:  # an outdated worker, or a removed app
            _count_try(claim, [message])
            _schedule_retry(claim, message, trouble)
            continue
        how = preferences.how(message.to_id, message.kind)
        if not message.to.is_active:
            claim.rows([message]).update(state=State.DROPPED)
        elif how == Preference.How.OFF and kind.may_be_switched_off:
            claim.rows([message]).update(state=State.OFF)
        elif how == Preference.How.DAILY and kind.digest and (morning := _digest_time(message)):
            claim.rows([message]).update(claimed_by="", claimed_until=morning)
        elif kind.digest and not message.tries:
            letters[kind.sender, message.to_id].append(message)
        else:
            letters[kind.sender, message.to_id, message.pk].append(message)
    standing = _messages_to_send(
        claim, [each for together in letters.values() for each in together]
    )
    for together in letters.values():
        if still := [message for message in together if message.pk in standing]:
            yield get_kind(still[0].kind), still


def _messages_to_send(claim: Claim, messages: list[Message]) -> set[int]:
    """Return the keys of the messages to send now, and bring their payloads up to date.

    The others are dropped, as their reason is gone, or wait.
    """
    standing = {message.pk for message in messages}
    by_kind: dict[str, list[Message]] = defaultdict(list)
    for message in messages:
        by_kind[message.kind].append(message)
    for key, of_kind in by_kind.items():
        kind = get_kind(key)
        if kind.current_payloads is None and kind.keys_to_delay is None:
            continue
        standing -= {message.pk for message in of_kind}
        try:
            early = kind.keys_to_delay(of_kind) if kind.keys_to_delay else ()
            ready = [message for message in of_kind if message.pk not in early]
            payloads = (
                kind.current_payloads(ready)
                if kind.current_payloads
                else {each.pk: each.payload for each in ready}
            )
        except DATABASE_UNAVAILABLE:
            raise
        except Exception as trouble:
            logger.exception("the contents of messages of kind %s cannot be read", key)
            for message in _count_try(claim, of_kind):
                _schedule_retry(claim, message, trouble)
            continue
        for message in ready:
            if message.pk in payloads:
                message.payload = dict(payloads[message.pk])
                standing.add(message.pk)
        gone = [message for message in ready if message.pk not in payloads]
        waiting = [message for message in of_kind if message.pk in early]
        later = timezone.now() + DELAY
        claim.rows(waiting).update(claimed_by="", claimed_until=later)
        claim.rows(gone).filter(state=State.WAITING).update(state=State.DROPPED)
    return standing


def _digest_time(message: Message) -> datetime | None:
    """Return when the digest with this message is sent; None if that is past."""
    since = timezone.localtime(max(message.due, message.created))
    morning = since.replace(hour=MORNING, minute=0, second=0, microsecond=0)
    if morning < since:
        morning += timedelta(days=1)
    return morning if morning > timezone.now() else None


def _send_together(claim: Claim, sender: Sender, together: list[Message]) -> bool:
    """Send one letter and record the result. Return whether the server could be reached."""
    try:
        sender.open()
    except Exception as trouble:
        logger.warning("nothing can be sent: %r", trouble)
        _count_try(claim, together)
        for message in together:
            _schedule_retry(claim, message, trouble)
        return False
    ready = list(_render_messages(claim, sender, _count_try(claim, together)))
    if not ready:
        return True
    try:
        address, sent = sender.send(ready)
    except DATABASE_UNAVAILABLE:
        raise
    except Exception as trouble:
        sender.close()  # whatever state it is in
        for written in ready:
            _schedule_retry(claim, written.message, trouble)
        return True
    _record_sent(claim, ready, address, sent)
    return True


def _count_try(claim: Claim, together: list[Message]) -> list[Message]:
    """Count a try of the messages that are still claimed and not withdrawn, and return them."""
    now = timezone.now()
    rows = claim.rows(together).filter(state=State.WAITING, claimed_until__gt=now)
    rows.filter(tries__gte=MAX_TRIES).update(state=State.FAILED)  # their workers died
    rows.update(tries=F("tries") + 1, claimed_until=now + CLAIM)
    begun = set(rows.values_list("pk", flat=True))
    return [message for message in together if message.pk in begun]


def _render_messages(
    claim: Claim, sender: Sender, messages: list[Message]
) -> Iterator[RenderedMessage]:
    for message in messages:
        try:
            yield sender.write(message)
        except Exception as trouble:
            logger.exception("message %s cannot be written", message.pk)
            _schedule_retry(claim, message, trouble)


def _schedule_retry(claim: Claim, message: Message, trouble: Exception) -> None:
    """Schedule the next try; after the last one, or if refused, mark the message as failed."""
    error = str(trouble) if isinstance(trouble, Refused) else f"{type(trouble).__name__}: {trouble}"
    tries = message.tries + 1
    change = {"claimed_by": "", "trouble": error.replace("\0", "")[:2000]}
    if tries >= MAX_TRIES or isinstance(trouble, Refused):
        logger.error("message %s could not be sent: %s", message.pk, error)
        change |= {"state": State.FAILED, "claimed_until": None}
    else:
        change |= {"claimed_until": timezone.now() + PAUSES[tries - 1]}
    claim.rows([message]).filter(state=State.WAITING).update(**change)


def _record_sent(
    claim: Claim, ready: list[RenderedMessage], address: str, sent: RenderedMessage
) -> None:
    """Record messages as sent, even those withdrawn in the meantime."""
    claim.rows([written.message for written in ready]).update(
        state=State.SENT,
        sent_at=timezone.now(),
        address=address,
        subject=sent.subject,
        text=sent.text,
        trouble="",
        claimed_by="",
        claimed_until=None,
    )
