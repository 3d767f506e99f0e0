"""Service that takes over from lists how names sort by family name."""

from collections.abc import Mapping

from django.contrib.auth import get_user_model

from foundation.folded_names import folded_words, last_first


def set_sorting(names: Mapping[int, str]) -> None:
    """Set how people sort, by the keys of their accounts, in the caller's transaction.

    Skips people who have chosen something else, or whose name has other words than the list's.
    """
    known = {pk: sorts_as for pk, sorts_as in names.items() if sorts_as}
    for user in get_user_model().objects.filter(pk__in=list(known), sorts_as=""):
        sorts_as = known[user.pk]
        says_more = sorts_as != last_first(user.name)
        if says_more and sorted(folded_words(sorts_as)) == sorted(folded_words(user.name)):
            user.sorts_as = sorts_as
            user.save(update_fields=["sorts_as"])
