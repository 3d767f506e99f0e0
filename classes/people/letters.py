"""The letter to people who are invited to a class and have no account yet.

Its message belongs to whoever invited them, as only accounts have messages.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext_lazy

from classes.models import Membership
from outbox import kinds
from outbox.kinds import Kind
from outbox.models import Message
from outbox.services import Note, post_all

INVITED = "classes.invited"


def register() -> None:
    """Register this kind of letter."""
    kind = Kind(
        key=INVITED,
        title=gettext_lazy("Invitation to a class"),
        may_be_switched_off=False,
        sender="finished-letter",
        current_payloads=_current_payloads,
    )
    kinds.register(kind)


def post_invitations(members: Iterable[int], by: Any) -> None:
    """Post an invitation to each of these members, whom nobody has written to."""
    notes = [
        Note(to=by.pk, payload={"member": member}, key=f"{INVITED}:{member}") for member in members
    ]
    post_all(kind=INVITED, notes=notes)


def invitations_to(members: Iterable[int]) -> QuerySet[Message]:
    """Return the invitations that these members were sent or will be."""
    return Message.objects.filter(key__in=[f"{INVITED}:{member}" for member in members])


def render_invitation(member: Membership, by: Any) -> dict[str, str]:
    """Return the address, the subject and the text of an invitation."""
    context = {
        "address": member.address,
        "course": member.course.title,
        "by": by,
        "role": member.get_role_display(),
        "sign_up": f"{settings.SITE_URL}{reverse('account_signup')}",
        "site": settings.SITE_URL,
    }
    subject, text = (
        render_to_string(f"classes/letters/invited_{part}.txt", context).strip()
        for part in ("subject", "message")
    )
    return {"address": member.address, "subject": " ".join(subject.split()), "text": f"{text}\n"}


def _current_payloads(messages: Sequence[Any]) -> Mapping[int, Mapping[str, Any]]:
    """Return the letters to those who are still invited."""
    found = Membership.objects.filter(state=Membership.State.INVITED, course__archived=False)
    members = found.select_related("course").in_bulk([each.payload["member"] for each in messages])
    return {
        each.pk: render_invitation(members[each.payload["member"]], each.to)
        for each in messages
        if each.payload["member"] in members
    }
