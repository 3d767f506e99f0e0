"""Personal data in the outbox: a person's messages and preferences."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser

from foundation.personal_data import PersonalData
from outbox.models import Message, Preference
from outbox.queries import delayed_messages
from outbox.services import delete_personal_data


def export_personal_data(student: AbstractBaseUser) -> dict[str, Any]:
    """Return the student's preferences, and their messages except those that have to wait."""
    messages = Message.objects.filter(to_id=student.pk).order_by("created", "pk")
    messages = messages.exclude(pk__in=delayed_messages(messages.exclude(state=Message.State.SENT)))
    shown = ("kind", "payload", "created", "due", "state", "sent_at", "address", "subject", "text")
    return {
        "messages": list(messages.values(*shown)),
        "messages_wanted": list(
            Preference.objects.filter(person_id=student.pk).order_by("kind").values("kind", "how")
        ),
    }


HOLDING = PersonalData(
    export_personal_data,
    delete_personal_data,
    forgotten=frozenset({"outbox.Message.to", "outbox.Preference.person"}),
)
