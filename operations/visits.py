"""Host names that visitors ask for and the site refuses.

Scanners ask every site for made-up names. So a process reports a refused name only if it has
admitted nobody for an hour; where the list of allowed hosts is wrong, every process does.
"""

from contextlib import suppress

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest
from django.http.request import split_domain_port, validate_host
from redis import RedisError

from operations import pulse

_REFUSED, _LET_IN = "softmark:refused", "somebody-let-in"
_AWAY = (RedisError, OSError, ValueError)


def record_admitted() -> None:
    """Record that this process has admitted a visitor."""
    caches["local"].set(_LET_IN, True, 3600)


def record_refused(request: HttpRequest) -> None:
    """Record a refused host name for ten minutes; each process does so once a minute at most."""
    name, _ = split_domain_port(request.META.get("HTTP_HOST", ""))
    if not name or name[-1] in "0123456789]":
        return  # scanners ask for IP addresses, visitors for names
    if validate_host(name, settings.ALLOWED_HOSTS):
        return
    local = caches["local"]
    if not local.get(_LET_IN) and local.add(_REFUSED, True, 60):
        with suppress(*_AWAY), pulse.broker() as client:
            client.set(_REFUSED, name, ex=600)


def refused_host() -> str | None:
    """Return a host name that was refused lately and is still not allowed, or None."""
    with suppress(*_AWAY), pulse.broker() as client:
        name = (client.get(_REFUSED) or b"").decode()
        if name and not validate_host(name, settings.ALLOWED_HOSTS):
            return name
    return None
