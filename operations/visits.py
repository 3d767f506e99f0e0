"""Whether visitors are let in by the host names they ask for.

A scanner that makes up a name is refused on every site. Only a process that has let nobody in for
an hour says whom it refused; where the list of allowed hosts is wrong, each of them does.
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


def let_in() -> None:
    """Remember that this process has let somebody in."""
    caches["local"].set(_LET_IN, True, 3600)


def refuse(request: HttpRequest) -> None:
    """Tell of a name that was refused, for ten minutes and once a minute at most."""
    name, _ = split_domain_port(request.META.get("HTTP_HOST", ""))
    if not name or name[-1] in "0123456789]":
        return  # scanners ask for addresses, visitors for names
    if validate_host(name, settings.ALLOWED_HOSTS):
        return
    local = caches["local"]
    if not local.get(_LET_IN) and local.add(_REFUSED, True, 60):
        with suppress(*_AWAY), pulse.broker() as client:
            client.set(_REFUSED, name, ex=600)


def refused() -> str | None:
    """Return a name that is still refused, and by which somebody came lately."""
    with suppress(*_AWAY), pulse.broker() as client:
        name = (client.get(_REFUSED) or b"").decode()
        if name and not validate_host(name, settings.ALLOWED_HOSTS):
            return name
    return None
