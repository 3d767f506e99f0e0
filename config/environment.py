"""Typed readers of the environment. What is missing or malformed stops the start, by name."""

import os
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

TRUE, FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


def text(name: str, default: str | None = None) -> str:
    """The value of a variable; one that is empty counts as not set.

    Without a default the variable is required.
    """
    value = os.environ.get(name, "").strip()
    if value:
        return value
    if default is None:
        raise ImproperlyConfigured(f"Set the environment variable {name}; it has no default here.")
    return default


def flag(name: str, *, default: bool) -> bool:
    """Yes or no, written 1 or 0 (true/false, yes/no and on/off are understood too)."""
    value = text(name, "1" if default else "0").lower()
    if value not in TRUE | FALSE:
        raise ImproperlyConfigured(f"{name} must be 1 or 0, not {value!r}.")
    return value in TRUE


def integer(name: str, *, default: int, least: int = 0) -> int:
    """A whole number that is not below `least`."""
    value = text(name, str(default))
    if not value.isdecimal() or int(value) < least:
        raise ImproperlyConfigured(f"{name} must be a whole number from {least} up, not {value!r}.")
    return int(value)


def words(name: str, default: str | None = None) -> list[str]:
    """A list whose entries are separated by commas."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def networks(name: str, default: str | None = None) -> list[IPv4Network | IPv6Network]:
    """Addresses or networks, separated by commas: 127.0.0.1, 10.0.0.0/8."""
    try:
        return [ip_network(word) for word in words(name, default)]
    except ValueError as wrong:
        raise ImproperlyConfigured(
            f"{name} must list networks such as 10.0.0.0/8: {wrong}"
        ) from None


def database(name: str, default: str | None = None, *, seconds: int = 0) -> dict[str, Any]:
    """Django's settings of the database that a URL names.

    `sqlite:////absolute/path` and `postgresql://user:password@host:port/database?sslmode=require`.

    Args:
        seconds: how long a statement may take; 0: as long as it likes.
    """
    url = urlsplit(text(name, default))
    if url.scheme == "sqlite" and len(url.path) > 1:
        return _sqlite(Path(unquote(url.path).removeprefix("/")), seconds)
    if url.scheme in {"postgresql", "postgres"} and len(url.path) > 1:
        return {
            "ENGINE": "config.postgresql",
            "SECONDS": seconds,
            "NAME": unquote(url.path[1:]),
            "USER": unquote(url.username or ""),
            "PASSWORD": unquote(url.password or ""),
            "HOST": unquote(url.hostname or ""),
            "PORT": str(url.port or ""),
            # One connection a web thread, kept between requests and tried before each.
            "CONN_MAX_AGE": 600,
            "CONN_HEALTH_CHECKS": True,
            "OPTIONS": {"connect_timeout": "3"} | _limits(seconds) | dict(parse_qsl(url.query)),
        }
    raise ImproperlyConfigured(
        f"{name} must read sqlite:////absolute/path or postgresql://user:password@host/database."
    )


def _limits(seconds: int) -> dict[str, str]:
    """What keeps a thread from waiting for a row, a server or a network that is stuck."""
    if not seconds:
        return {}
    limits = {
        "statement_timeout": f"{seconds}s",
        "lock_timeout": f"{min(seconds, 3)}s",
        # A process that is frozen must not keep for ever what it has locked.
        "idle_in_transaction_session_timeout": f"{3 * seconds}s",
    }
    return {
        "options": " ".join(f"-c {limit}={value}" for limit, value in limits.items()),
        "tcp_user_timeout": str(seconds * 1000),
    }


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


def mailer(name: str) -> dict[str, Any]:
    """Django's settings of the mail server that a URL names; without one, mail goes to the console.

    `smtp://user:password@host:587` speaks STARTTLS (`?tls=0` does not), `smtps://` TLS at once.
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
