"""Rate limits: the rates of ACCOUNT_RATE_LIMITS, counted in the same way as logins.

allauth counts them. Its public interface to this is deprecated and the module behind it is
internal, so everything that the site counts goes through this file.
"""

from allauth.core.internal import ratelimit
from django.http import HttpRequest, HttpResponse

client_address = ratelimit.get_ip


def is_within(
    request: HttpRequest, action: str, *, key: str | None = None, count: bool = True
) -> bool:
    """Return whether an action is still within its rate. Count it, unless `count` is false.

    Args:
        action: a name among the rates, which say whether it counts for each address, each
            person or each `key`. Every method counts.
    """
    usage = ratelimit.consume(
        request, app="allauth.account", action=action, key=key, dry_run=not count, limit_get=True
    )
    return usage is not None


def too_many_requests(request: HttpRequest) -> HttpResponse:
    """Return the page that asks the user to wait."""
    return ratelimit.respond_429(request)
