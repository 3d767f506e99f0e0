"""Typed readers of environment variables. A missing or malformed one stops the start, by name."""

import os
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from foundation import addresses, broker

TRUE, FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


def text(name: str, default: str | None = None) -> str:
    """Return the value of a variable; an empty one counts as not set.

    Raises:
        ImproperlyConfigured: it is not set and has no default.
    """
    value = os.environ.get(name, "").strip()
    if value:
        return value
    if default is None:
        raise ImproperlyConfigured(f"Set the environment variable {name}; it has no default here.")
    return default


def flag(name: str, *, default: bool) -> bool:
    """Return whether a variable is set to yes: 1 or 0, true/false, yes/no or on/off."""
    value = text(name, "1" if default else "0").lower()
    if value not in TRUE | FALSE:
        raise ImproperlyConfigured(f"{name} must be 1 or 0, not {value!r}.")
    return value in TRUE


def integer(name: str, *, default: int, least: int = 0) -> int:
    """Return a whole number that is not below `least`."""
    value = text(name, str(default))
    if not value.isdecimal() or int(value) < least:
        raise ImproperlyConfigured(f"{name} must be a whole number from {least} up, not {value!r}.")
    return int(value)


def words(name: str, default: str | None = None) -> list[str]:
    """Return a list whose entries are separated by commas."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def networks(name: str, default: str | None = None) -> list[IPv4Network | IPv6Network]:
    """Return addresses or networks that are separated by commas: 127.0.0.1, 10.0.0.0/8."""
    try:
        return [ip_network(word) for word in words(name, default)]
    except ValueError as wrong:
        raise ImproperlyConfigured(
            f"{name} must list networks such as 10.0.0.0/8: {wrong}"
        ) from None


def database(name: str, default: str | None = None, *, seconds: int = 0) -> dict[str, Any]:
    """Return Django's settings for the database that a URL names.

    `sqlite:////absolute/path` and `postgresql://user:password@host:port/database?sslmode=require`.
    Of several hosts (`one:5432,two:5432`) the first that accepts writes is used.
    `pooler=transaction` says that the host is a pooler that lends a connection for one transaction
    at a time.

    Args:
        seconds: how long a statement may take; 0 for no limit.
    """
    url = text(name, default)
    try:
        address = addresses.parse_address(url)
        if address.scheme == "sqlite" and address.name:
            return _sqlite(Path(address.name), seconds)
        if address.scheme in {"postgresql", "postgres"} and address.name:
            return _postgresql(address, seconds)
    except ValueError as wrong:
        raise ImproperlyConfigured(f"{name} cannot be read: {wrong}.") from None
    raise ImproperlyConfigured(
        f"{name} must read sqlite:////absolute/path or postgresql://user:password@host/database."
    )


def _postgresql(address: addresses.Address, seconds: int) -> dict[str, Any]:
    options = dict(address.options)
    pooler = options.pop("pooler", None)
    if pooler not in {None, "transaction"}:
        raise ValueError(f"pooler can be 'transaction', not {pooler!r}")
    if len(address.hosts) > 1:
        # One of them is the primary; the others replicate it, and refuse writes.
        options = {"target_session_attrs": "read-write"} | options
    hosts = [host for host, _ in address.hosts]
    ports = [port for _, port in address.hosts]
    return {
        "ENGINE": "config.postgresql",
        "SECONDS": seconds,
        "NAME": address.name,
        "USER": address.user,
        "PASSWORD": address.password,
        "HOST": ",".join(hosts),
        "PORT": ",".join(port or "5432" for port in ports) if any(ports) else "",
        # One connection a web thread, kept between requests and tried before each.
        "CONN_MAX_AGE": 600,
        "CONN_HEALTH_CHECKS": True,
        # Behind a pooler the next rows of a cursor might be asked of another connection.
        "DISABLE_SERVER_SIDE_CURSORS": pooler is not None,
        "OPTIONS": {"connect_timeout": "3"} | _limits(seconds, pooler) | options,
    }


def _limits(seconds: int, pooler: str | None) -> dict[str, str]:
    """Return options that keep a thread from waiting for a stuck row, server or network."""
    if not seconds:
        return {}
    silence = {"tcp_user_timeout": str(seconds * 1000)}
    if pooler:
        # A pooler refuses a session's options, or lends the session to others: config/postgresql/
        # enforces the limit of a statement instead, and the pooler that of an idle transaction.
        return silence
    limits = {
        "statement_timeout": f"{seconds}s",
        "lock_timeout": f"{min(seconds, 3)}s",
        # A frozen process must not keep its locks for ever.
        "idle_in_transaction_session_timeout": f"{3 * seconds}s",
    }
    options = " ".join(f"-c {limit}={value}" for limit, value in limits.items())
    return silence | {"options": options}


def _sqlite(path: Path, seconds: int) -> dict[str, Any]:
    if not path.is_absolute():
        raise ImproperlyConfigured("An SQLite address needs four slashes: sqlite:////absolute/path")
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        "OPTIONS": {
            # A deferred transaction that reads first cannot wait for another writer:
            # half of all concurrent writes failed. An immediate one queues.
            "transaction_mode": "IMMEDIATE",
            "timeout": seconds or 20,
            # FULL: what was acknowledged survives a power cut, not only a crash.
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        },
        # A file, because tests run real workers beside the test's own process.
        "TEST": {"NAME": path.with_name(f"test_{path.name}")},
    }


def redis(name: str, default: str | None = None) -> str:
    """Return the address of a Redis, or of Sentinels that know which of several is the primary."""
    address = text(name, default)
    try:
        broker.parse_sentinels(address)
    except ValueError as wrong:
        raise ImproperlyConfigured(f"{name} cannot be read: {wrong}.") from None
    return address


def mailer(name: str) -> dict[str, Any]:
    """Return Django's settings for the mail server that a URL names.

    Without a URL mail goes to the console. `smtp://user:password@host:587` uses STARTTLS (`?tls=0`
    does not), `smtps://` TLS from the start.
    """
    address = text(name, "")
    if not address:
        return {"BACKEND": "django.core.mail.backends.console.EmailBackend"}
    url = urlsplit(address)
    if url.scheme not in {"smtp", "smtps"} or not url.hostname:
        raise ImproperlyConfigured(f"{name} must read smtp://user:password@host:port or smtps://…")
    implicit = url.scheme == "smtps"
    return {
        "BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "OPTIONS": {
            "host": url.hostname,
            "port": url.port or (465 if implicit else 587),
            "username": unquote(url.username or ""),
            "password": unquote(url.password or ""),
            "use_ssl": implicit,
            "use_tls": not implicit and dict(parse_qsl(url.query)).get("tls", "1") in TRUE,
            "timeout": 10,
        },
    }
