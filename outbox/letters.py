"""Senders of letters: plain-text emails, each with an unsubscribe link."""

import hashlib
import smtplib
from collections.abc import Sequence
from email.policy import EmailPolicy, Policy, default
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage, mailers
from django.core.mail.backends.base import BaseEmailBackend
from django.template import Context
from django.template.loader import get_template
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from outbox.kinds import Refused, RenderedMessage, get_kind
from outbox.models import Message
from outbox.unsubscribing import UnsubscribeLink


class UnfoldedLinks(EmailPolicy):
    """Email policy that never folds the long List-Unsubscribe address, for programs to read it."""

    def fold_binary(self, name: str, value: Any) -> bytes:
        policy = self.clone(max_line_length=None) if name == "List-Unsubscribe" else self
        return super(UnfoldedLinks, policy).fold_binary(name, value)


class Letter(EmailMessage):
    def message(self, *, policy: Policy = default) -> Any:
        return super().message(policy=UnfoldedLinks(linesep=policy.linesep))


class LetterSender:
    """Sender of letters; a batch shares one connection."""

    def __init__(self) -> None:
        self.connection: BaseEmailBackend | None = None

    def open(self) -> None:
        if self.connection is None:
            connection = mailers.default
            connection.open()
            self.connection = connection

    def close(self) -> None:
        connection, self.connection = self.connection, None
        try:
            if connection is not None:
                connection.close()
        except Exception:
            pass  # it is gone already, and what was sent is sent

    def write(self, message: Message) -> RenderedMessage:
        template = get_kind(message.kind).template
        context = {"person": message.to, "site": settings.SITE_URL} | message.payload
        subject = _render(f"{template}_subject.txt", context)
        text = _render(f"{template}_message.txt", context)
        return RenderedMessage(message, " ".join(subject.split())[:200], text)

    def send(self, together: Sequence[RenderedMessage]) -> tuple[str, RenderedMessage]:
        first = together[0].message
        kinds = {written.message.kind for written in together}
        stoppable = [kind for kind in kinds if get_kind(kind).may_be_switched_off]
        stop = UnsubscribeLink.of(first.to_id, stoppable).address if stoppable else ""
        subject = together[0].subject
        if len(together) > 1:
            words = ngettext(
                "Softmark: %(count)s update", "Softmark: %(count)s updates",
                len(together),
            )  # fmt: skip
            subject = words % {"count": len(together)}
        context = {"together": together, "stop": stop, "site": settings.SITE_URL}
        text = _render("outbox/letter.txt", context)
        letter = Letter(subject, text, to=[first.to.email], headers=_headers(together, stop))
        return self._deliver(letter), RenderedMessage(first, subject, text)

    def _deliver(self, letter: Letter) -> str:
        """Pass a letter to the mail server. Return the recipient's address."""
        [address] = letter.to
        try:
            self.connection.send_messages([letter])
        except smtplib.SMTPRecipientsRefused as refused:
            if all(code >= 500 for code, _said in refused.recipients.values()):
                raise Refused(_smtp_reasons(refused)) from refused
            raise
        except ValueError as refused:  # Django's, for an invalid address
            raise Refused(
                _("This isn’t an email address: %(address)s") % {"address": address}
            ) from refused
        return address


class FinishedLetterSender(LetterSender):
    """Sender of letters whose text and address were already final when they were posted."""

    def write(self, message: Message) -> RenderedMessage:
        return RenderedMessage(message, message.payload["subject"], message.payload["text"])

    def send(self, together: Sequence[RenderedMessage]) -> tuple[str, RenderedMessage]:
        [written] = together
        to = [written.message.payload["address"]]
        letter = Letter(written.subject, written.text, to=to, headers=_headers(together, ""))
        return self._deliver(letter), written


def _smtp_reasons(refused: smtplib.SMTPRecipientsRefused) -> str:
    return "; ".join(
        f"{address}: {code} {reply.decode(errors='replace')}"
        for address, (code, reply) in refused.recipients.items()
    )


def _headers(together: Sequence[RenderedMessage], stop: str) -> dict[str, str]:
    """Return the headers: a message ID, that no person wrote it, and how to unsubscribe."""
    host = urlsplit(settings.SITE_URL).hostname
    rows = ",".join(str(written.message.pk) for written in together)
    # The same letter has the same message ID when it has to be sent twice.
    name = hashlib.sha256(f"{settings.SITE_URL} {rows}".encode()).hexdigest()[:32]
    headers = {"Message-ID": f"<{name}@{host}>", "Auto-Submitted": "auto-generated"}
    if stop:
        headers["List-Unsubscribe"] = f"<{stop}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return headers


def _render(template: str, context: dict[str, Any]) -> str:
    # Letters are plain text, so a name must not be escaped.
    return get_template(template).template.render(Context(context, autoescape=False)).strip() + "\n"
