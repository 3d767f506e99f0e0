"""The broker's address in the form that kombu expects."""

import ssl
from typing import Any
from urllib.parse import quote

from foundation.broker import Sentinels, parse_sentinels

type UseSSL = dict[str, Any] | bool

VERIFIED: UseSSL = {"ssl_cert_reqs": ssl.CERT_REQUIRED}


def for_kombu(url: str, seconds: float) -> tuple[str, dict[str, Any], UseSSL]:
    """Return the address, the transport options that go with it, and the TLS options.

    Args:
        seconds: how long a Sentinel is waited for.
    """
    found = parse_sentinels(url)
    if found is None:
        # By itself kombu would not verify the server's certificate.
        return url, {}, VERIFIED if url.startswith("rediss://") else False
    options = {"master_name": found.primary, "sentinel_kwargs": found.asking(seconds)}
    return _each(found), options, VERIFIED if found.tls else False


def _each(found: Sentinels) -> str:
    """Return an address for each Sentinel, each with the login and the database of the servers."""
    user, password = (quote(found.login.get(part, ""), "") for part in ("username", "password"))
    login = f"{user}:{password}@" if found.login else ""
    hosts = [(f"[{host}]" if ":" in host else host, port) for host, port in found.nodes]
    return ";".join(f"sentinel://{login}{host}:{port}/{found.database}" for host, port in hosts)
