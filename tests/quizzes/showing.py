"""Items that show what a test wants them to show."""

from collections.abc import Mapping
from typing import Any

from quizzes import problems
from quizzes.delivery.services.item_selection import keep_wordings
from quizzes.models import Item, Variant


def wording_for(variant: Variant):
    """The key of the wording in which a new item would ask this variant."""
    (key,) = keep_wordings([problems.variant_wording(vars(variant))])
    return key


def let_show(item: Item, shown: Mapping[str, Any]) -> None:
    """Have an item show this, word for word."""
    (key,) = keep_wordings([shown])
    Item.objects.filter(pk=item.pk).update(wording=key, order="")
