"""Emails to students whose marks a regrade changed.

They wait while they would reveal a question that is secret, and go out once it is not.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy

from outbox.kinds import Kind, register
from outbox.services import Note, post_all
from quizzes.delivery.queries.secrecy import exclude_secret_lines
from quizzes.models import Attempt, Ruling, RulingLine

LETTER = "quizzes.marks_ruled"


def register_kind() -> None:
    """Register these emails with the mailer."""
    register(
        Kind(
            key=LETTER,
            title=gettext_lazy("Changes to your marks"),
            template="quizzes/letters/marks_ruled",
            digest=True,
            current_payloads=_payloads,
            keys_to_delay=_revealing_secrets,
        )
    )


def notify_of_changes(regrade: Ruling, lines: Collection[int]) -> None:
    """Notify students with results whose marks these lines changed, once per attempt.

    Without results a student never saw the earlier marks.
    """
    now = timezone.now()
    changed = RulingLine.objects.filter(pk__in=lines).values("attempt")
    attempts = Attempt.objects.filter(pk__in=changed).select_related("quiz", "sitting")
    notes = [
        Note(
            to=attempt.student_id,
            payload={
                "quiz": attempt.quiz.title,
                "number": attempt.number,
                "reason": regrade.reason,
                "path": reverse("quizzes:results", args=[attempt.pk]),
                "ruling": regrade.pk,
                "attempt": attempt.pk,
            },
            key=f"{LETTER}:{regrade.pk}:{attempt.pk}",
        )
        for attempt in attempts
        if attempt.shows_results(now)
    ]
    post_all(kind=LETTER, notes=notes)


def _revealing_secrets(messages: Sequence[Any]) -> set[int]:
    """Return the messages whose every change would reveal a secret question."""
    early: set[int] = set()
    for regrade, of_regrade in _by_regrade(messages):
        attempts = {message.payload["attempt"] for message in of_regrade}
        lines = RulingLine.objects.filter(ruling=regrade, attempt__in=attempts, applied=True)
        visible = set(exclude_secret_lines(lines, timezone.now()).values_list("attempt", flat=True))
        early |= {each.pk for each in of_regrade if each.payload["attempt"] not in visible}
    return early


def _payloads(messages: Sequence[Any]) -> Mapping[int, Mapping[str, Any]]:
    """Return the payloads of all messages but those whose regrade was undone before sending."""
    by_regrade = dict(_by_regrade(messages))
    undone = set(
        Ruling.objects.filter(pk__in=list(by_regrade), state=Ruling.State.UNDONE).values_list(
            "pk", flat=True
        )
    )
    gone = {each.pk for regrade in undone for each in by_regrade[regrade]}
    return {each.pk: each.payload for each in messages if each.pk not in gone}


def _by_regrade(messages: Sequence[Any]) -> Iterator[tuple[int, list[Any]]]:
    """Yield the messages of each regrade. Messages that an earlier release posted name none."""
    found: dict[int, list[Any]] = defaultdict(list)
    for message in messages:
        if "ruling" in message.payload:
            found[message.payload["ruling"]].append(message)
    yield from found.items()
