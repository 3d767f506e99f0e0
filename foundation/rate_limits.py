"""How often something may be done: the rates of ACCOUNT_RATE_LIMITS, counted as logins are.

allauth counts them. It means to close its public door to that, and the module behind the door is
its own affair; so all that the site counts goes through this file alone.
"""

from allauth.core.internal import ratelimit
from django.http import HttpRequest, HttpResponse

address_of = ratelimit.get_ip


def is_within(
    request: HttpRequest, action: str, *, key: str | None = None, count: bool = True
) -> bool:
    """May this be done once more? It is counted, whatever the method, unless `count` is false.

    Args:
        action: its name among the rates, which say whether it counts for each address, each
            person or each `key`.
    """
    usage = ratelimit.consume(
        request,
        app="allauth.account",
        action=action,
        key=key,
        dry_run=not count,
        limit_get=True,
    )
    return usage is not None


def too_many(request: HttpRequest) -> HttpResponse:
    """The page that says to wait."""
    return ratelimit.respond_429(request)
