"""The section on tokens in the account of whoever may have some."""

from django.http import HttpRequest

from accounts.extensions import Section
from api import queries


def section(request: HttpRequest) -> Section | None:
    """How many tokens there are; nothing for those who have none and can have none."""
    tokens = list(queries.tokens_of(request.user))
    if not tokens and not queries.classes_to_choose(request.user).exists():
        return None
    working = sum(not token.has_expired for token in tokens)
    about = {"working": working, "expired": len(tokens) - working}
    return Section("api/_account.html", about)
