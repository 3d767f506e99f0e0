"""Which part of a name is the family's: a list may say so, and the account takes it up."""

from collections.abc import Mapping

from django.contrib.auth import get_user_model

from foundation.folded_names import last_first, words_in


def keep_sorting(said: Mapping[int, str]) -> None:
    """Sort people as lists do, by the keys of their accounts; the caller's transaction.

    Not where somebody has chosen something else, or goes by other words than the list's.
    """
    told = {pk: sorts_as for pk, sorts_as in said.items() if sorts_as}
    for user in get_user_model().objects.filter(pk__in=list(told), sorts_as=""):
        sorts_as = told[user.pk]
        says_more = sorts_as != last_first(user.name)
        if says_more and sorted(words_in(sorts_as)) == sorted(words_in(user.name)):
            user.sorts_as = sorts_as
            user.save(update_fields=["sorts_as"])
