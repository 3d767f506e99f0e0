"""Queries for the members of a class."""

from dataclasses import dataclass, field

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce

from classes.access.queries import BY_FIRST, BY_LAST, CURRENT_STATES, CourseAccess, in_group
from classes.models import Course, Membership, RosterImport
from foundation.folded_names import contains_words, folded_words

# The people of a class


@dataclass(frozen=True)
class PeopleChoice:
    """The filter and order of a list of people; empty fields filter nothing."""

    search: str = ""
    role: str = ""
    section: str = ""
    label: str = ""
    state: str = ""
    order: str = ""


WITHOUT_SECTION = "-"
EVERY_STATE = "all"
ORDERS = {
    "": (BY_FIRST,),
    "last": (BY_LAST,),
    "address": (Coalesce("user__email", "email"),),
    "role": ("role", BY_FIRST),
    "section": ("section", BY_FIRST),
    "state": ("state", BY_FIRST),
    "latest": ("-joined_at",),
}


def chosen_people(access: CourseAccess, choice: PeopleChoice) -> QuerySet[Membership]:
    """Return the chosen members visible to the user, with accounts and labels."""
    found = access.members()
    found = found.filter(contains_words(folded_words(choice.search), "user__folded", "folded"))
    if choice.role:
        found = found.filter(role=choice.role)
    if choice.section:
        without = choice.section == WITHOUT_SECTION
        found = found.filter(Q(section="") if without else in_group(access.course, choice.section))
    if choice.label:
        found = found.filter(in_group(access.course, choice.label))
    if choice.state != EVERY_STATE:
        found = found.filter(state__in=[choice.state] if choice.state else CURRENT_STATES)
    found = found.select_related("user").prefetch_related("labels")
    return found.order_by(*ORDERS[choice.order], "pk")


def unwritten_invitations(access: CourseAccess) -> QuerySet[Membership]:
    """Return the invited members visible to the user who were sent no invitation."""
    found = access.members().filter(state=Membership.State.INVITED, written_at=None)
    return found.order_by(BY_FIRST, "pk")


def unconfirmed_import(access: CourseAccess) -> RosterImport | None:
    """Return the list of people this user has not confirmed yet."""
    found = RosterImport.objects.filter(course=access.course, by=access.user)
    return found.select_related("course").first()


# The members an import has to consider


@dataclass(frozen=True)
class MemberColumns:
    """The columns of a membership that a list of thousands needs."""

    pk: int
    user: int | None
    display_name: str
    address: str
    role: str
    section: str
    state: str
    labels: list[str] = field(default_factory=list)


def member_columns(course: Course) -> list[MemberColumns]:
    """Return all current and former members of the class."""
    columns = ("pk", "user", "user__name", "user__email", "name", "email")
    found = Membership.objects.filter(course=course).order_by("pk")
    places = {
        pk: MemberColumns(pk, user, own or address or name or email, address or email, *rest)
        for pk, user, own, address, name, email, *rest in found.values_list(
            *columns, "role", "section", "state"
        )
    }
    worn = Membership.labels.through.objects.filter(membership__course=course)
    for pk, text in worn.order_by("label__text").values_list("membership", "label__text"):
        places[pk].labels.append(text)
    return list(places.values())
