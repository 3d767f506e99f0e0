"""Reading what was struck out, and what is to be."""

from collections.abc import Iterable
from uuid import UUID

from quizzes import problems
from quizzes.models import Attempt, ConceptQuestion, Item, Slot, StruckOut, Variant
from quizzes.queries import askable


def struck_among(family: str, fingerprints: Iterable[UUID]) -> dict[UUID, StruckOut]:
    """Why these numbers of a family are given no more, by their fingerprint."""
    found = StruckOut.objects.filter(
        variant__family=family, variant__fingerprint__in=list(fingerprints)
    )
    return {each.variant.fingerprint: each for each in found.select_related("variant", "by")}


def struck_of(variant: Variant) -> StruckOut | None:
    """Why a variant, or the one with the same numbers, is given no more."""
    kept = problems.kept_fingerprint(problems.fingerprint_of(variant.givens))
    return struck_among(variant.family, [kept]).get(kept)


def attempts_with(variant: Variant) -> dict[str, int]:
    """How many attempts of each mode have these very numbers."""
    modes = Item.objects.filter(variant=variant.pk).values_list("attempt__mode", flat=True)
    found = list(modes)
    return {mode: found.count(mode) for mode in Attempt.Mode.values}


def drawn_variant(kind: str, seed: str) -> Variant:
    """The one that `draw_to_try` draws from a seed: not kept, unless it was before.

    Raises:
        UnknownKind: there is no such kind, or none can be drawn.
    """
    (columns,) = problems.draw_to_try(kind, [seed])
    return Variant(**columns)


def pool_of(slot: Slot) -> list[ConceptQuestion]:
    """The questions that a slot may ask, with their choices."""
    found = askable([slot.topic], slot.quiz)
    return list(found.prefetch_related("choices").order_by("key"))
