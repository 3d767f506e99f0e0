"""Personal data in the audit log: the events a person caused and those about them."""

from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Q

from audit.models import Event
from audit.verbs import without_marks
from foundation.personal_data import PersonalData

WHY = "what was done stays; it names a person by reference alone, and then nobody"


def export_personal_data(student: AbstractBaseUser) -> dict[str, Any]:
    """Return the events by and about the student, without the names of others.

    Events caused by others leave out marks: the attempts include those that may be shown.
    """
    found = Event.objects.filter(Q(actor=student) | Q(person=student)).order_by("at", "pk")
    return {
        "events": [
            {
                "at": event.at,
                "by_this_person": event.actor_id == student.pk,
                "verb": event.verb,
                "what": event.target_words,
                "before": _values(event, event.before, student),
                "after": _values(event, event.after, student),
                "reason": event.reason,
            }
            for event in found.iterator()
        ]
    }


def _values(event: Event, values: dict[str, Any], student: AbstractBaseUser) -> dict[str, Any]:
    return values if event.actor_id == student.pk else without_marks(event.verb, values)


# There is nothing to erase: events show the name from the person's account, which is erased.
HOLDING = PersonalData(
    export_personal_data, kept=dict.fromkeys(("audit.Event.actor", "audit.Event.person"), WHY)
)
