"""The broker's address in the way that kombu wants it."""

import ssl
from typing import Any
from urllib.parse import quote

from foundation.broker import Sentinels, sentinels

type UseSSL = dict[str, Any] | bool

VERIFIED: UseSSL = {"ssl_cert_reqs": ssl.CERT_REQUIRED}


def for_kombu(url: str, seconds: float) -> tuple[str, dict[str, Any], UseSSL]:
    """The address, what goes into the transport's options with it, and whether to use TLS.

    Args:
        seconds: how long a Sentinel is waited for.
    """
    found = sentinels(url)
    if found is None:
        # Kombu would believe whoever answers.
        return url, {}, VERIFIED if url.startswith("rediss://") else False
    options = {"master_name": found.primary, "sentinel_kwargs": found.asking(seconds)}
    return _each(found), options, VERIFIED if found.tls else False


def _each(found: Sentinels) -> str:
    """An address for each Sentinel, with the login and the database of the servers in each."""
    user, password = (quote(found.login.get(part, ""), "") for part in ("username", "password"))
    login = f"{user}:{password}@" if found.login else ""
    hosts = [(f"[{host}]" if ":" in host else host, port) for host, port in found.nodes]
    return ";".join(f"sentinel://{login}{host}:{port}/{found.database}" for host, port in hosts)
