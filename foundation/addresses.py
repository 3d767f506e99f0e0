"""Server addresses with one host or several: scheme://user:password@one:1,two:2/name."""

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

_HOST = re.compile(r"(?P<name>\[[\da-fA-F:.]+\]|[^:]*)(?::(?P<port>\d*))?")


@dataclass(frozen=True)
class Address:
    """A parsed address: interchangeable servers, and the login and options to use with them."""

    scheme: str
    user: str
    password: str
    hosts: tuple[tuple[str, str], ...]
    """Names with their ports; a port that was left out is empty."""
    name: str
    options: dict[str, str]


def parse_address(url: str) -> Address:
    """Return the parsed address.

    Raises:
        ValueError: it cannot be read.
    """
    parts = urlsplit(url)
    login, _, hosts = parts.netloc.rpartition("@")
    user, _, password = login.partition(":")
    return Address(
        scheme=parts.scheme,
        user=unquote(user),
        password=unquote(password),
        hosts=tuple(_host(host) for host in hosts.split(",")) if hosts else (),
        name=unquote(parts.path[1:]),
        options=dict(parse_qsl(parts.query)),
    )


def _host(written: str) -> tuple[str, str]:
    found = _HOST.fullmatch(written)
    if found is None or not found["name"]:
        raise ValueError(f"{written!r} is no host with its port")
    return unquote(found["name"].strip("[]")), found["port"] or ""
