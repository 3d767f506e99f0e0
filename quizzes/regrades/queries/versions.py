"""Versions of written problems by which a regrade can mark again."""

from collections.abc import Iterable

from django.db.models import Min

from quizzes import problems
from quizzes.models import Answer, Ruling, Slot, Variant, WrittenProblem
from quizzes.regrades.queries.regrades import answers_in_scope


def regraded_family(regrade: Ruling) -> str:
    """Return the key of the one family that a regrade's scope is narrowed to; "" if there is none.

    Of a slot, of numbers and of an item it is the family that they ask.
    """
    item = regrade.item
    variant = item.variant if item else regrade.variant
    slot = regrade.slot
    return regrade.family or (variant.family if variant else slot.family if slot else "")


def offered_versions(regrade: Ruling) -> list[WrittenProblem]:
    """Return the published versions of a regrade's written problem, from the first asked one up.

    None if all that is asked is the newest one, or no written problem.
    """
    family = regraded_family(regrade)
    if not family.startswith(problems.OWN):
        return []
    first = min(_asked_versions(regrade, family), default=None)
    if first is None:
        return []
    published = WrittenProblem.every.published().filter(key=family, version__gte=first)
    found = list(published.order_by("version"))
    return found if any(each.version > first for each in found) else []


def version_trouble(regrade: Ruling) -> str:
    """Return why a regrade's version cannot mark what was asked; "" if it can.

    Variants of one kind have the same givens and steps, so one of each is tried.
    """
    number = regrade.values["version"]
    for variant in _one_of_each_kind(regrade):
        if variant.family == regraded_family(regrade) and variant.version < number:
            try:
                problems.restate_variant(vars(variant), number)
            except problems.UnknownKind as why:
                return str(why)
    return ""


def _asked_versions(regrade: Ruling, family: str) -> Iterable[int]:
    """Return the versions that were answered, or if none was yet, those that slots ask."""
    answered = [each.version for each in _one_of_each_kind(regrade) if each.family == family]
    if answered:
        return answered
    slots = Slot.every.filter(quiz=regrade.quiz_id, family=family, family_version__isnull=False)
    return slots.values_list("family_version", flat=True)


def _one_of_each_kind(regrade: Ruling) -> list[Variant]:
    answers = Answer.objects.filter(answers_in_scope(regrade)).exclude(item__variant=None)
    kinds = answers.order_by().values("item__variant__kind").annotate(first=Min("item__variant"))
    return list(Variant.objects.filter(pk__in=[each["first"] for each in kinds]).order_by("pk"))
