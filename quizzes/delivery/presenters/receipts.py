"""JSON for the page's script: receipts of saves, and the stored draft if one is refused."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from quizzes.items.presenters.asked_item import STATE_WORDS, answer_state, serialize_notes
from quizzes.models import Item, SittingMessage
from quizzes.problems.answers import fields_of


def serialize_receipt(item: Item, deadline: datetime | None, now: datetime) -> dict[str, Any]:
    """Return what is stored now, and how much time is left."""
    return {**_serialize_draft(item), "seconds_left": seconds_left(deadline, now)}


def serialize_messages(messages: Iterable[SittingMessage]) -> dict[str, Any]:
    """Return the messages to all for an answer to the page's script; nothing if there are none."""
    found = [{"id": each.pk, "text": each.text, "at": each.at} for each in messages]
    return {"messages": found} if found else {}


def serialize_stored(item: Item) -> dict[str, Any]:
    """Return the newer draft because of which a save is refused."""
    fields = {field: item.draft.get(field, "") for field in fields_of(item.asked)}
    return {**_serialize_draft(item), "fields": fields}


def _serialize_draft(item: Item) -> dict[str, Any]:
    state = answer_state(item.asked, item.draft)
    return {
        "revision": item.revision,
        "token": item.token,
        "saved_at": item.saved_at,
        "state": state,
        "words": STATE_WORDS[state],
        "notes": serialize_notes(item),
    }


def seconds_left(deadline: datetime | None, now: datetime) -> float | None:
    """Return the seconds until the deadline, by the server's clock; None if there is none."""
    return None if deadline is None else max(0.0, round((deadline - now).total_seconds(), 3))
