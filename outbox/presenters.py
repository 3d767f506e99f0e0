"""Messages as their recipients read them on the site."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.template.defaultfilters import linebreaks
from django.utils.html import Urlizer
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from outbox.kinds import get_kind
from outbox.letters import LetterSender
from outbox.models import Message


@dataclass(frozen=True)
class Notification:
    """A message on the page of notifications; one letter may have been about several."""

    at: datetime
    subject: str
    text: SafeString
    is_new: bool


def notifications(messages: Iterable[Message], *, seen: datetime | None) -> list[Notification]:
    """Return messages to one person as they read them, in the same order.

    What was sent is shown as it was, once. The rest is rendered, unless its reason is gone.
    """
    messages = list(messages)
    payloads = _current_payloads(each for each in messages if not each.text)
    found: dict[tuple[object, ...], Notification] = {}
    for each in messages:
        subject, text = each.subject, _without_frame(each.text)
        if not each.text:
            if each.pk not in payloads:
                continue
            each.payload = dict(payloads[each.pk])
            rendered = LetterSender().write(each)
            subject, text = rendered.subject, rendered.text
        is_new = seen is None or each.due > seen
        # A letter about several is the text of each of them.
        key = (each.sent_at, each.text) if each.text else (each.pk,)
        found.setdefault(key, Notification(each.due, subject, _render_text(text), is_new))
    return list(found.values())


def _current_payloads(messages: Iterable[Message]) -> dict[int, Mapping[str, Any]]:
    by_kind: dict[str, list[Message]] = defaultdict(list)
    for message in messages:
        by_kind[message.kind].append(message)
    payloads: dict[int, Mapping[str, Any]] = {}
    for key, of_kind in by_kind.items():
        current = get_kind(key).current_payloads
        payloads |= current(of_kind) if current else {each.pk: each.payload for each in of_kind}
    return payloads


class _WordedLinks(Urlizer):
    """Links addresses, those of this site in words."""

    def trim_url(self, x: str, *, limit: int | None) -> str:
        return _("Open the page") if x.startswith(f"{settings.SITE_URL}/") else x


def _render_text(text: str) -> SafeString:
    """Return a letter's text as HTML, with links."""
    linked = _WordedLinks()(text.strip(), nofollow=True, autoescape=True)
    return SafeString(linebreaks(linked, autoescape=False))


def _without_frame(letter: str) -> str:
    """Return a letter's text without its greeting and what follows the signature (letter.txt)."""
    text = letter.partition("\n\n")[2]
    return text.rpartition("\nSoftmark\n")[0] or text
