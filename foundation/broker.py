"""The broker: a single Redis, or the current primary of several, found through Sentinels."""

from dataclasses import dataclass
from typing import Any

from redis import Redis, Sentinel

from foundation import addresses

SCHEME, PORT = "sentinel", 26379


@dataclass(frozen=True)
class Sentinels:
    """The Sentinels that know the primary, and the login and options for it."""

    address: addresses.Address

    @property
    def nodes(self) -> list[tuple[str, int]]:
        return [(name, int(port or PORT)) for name, port in self.address.hosts]

    @property
    def primary(self) -> str:
        """The Sentinels' name for the group of servers."""
        return self.address.options.get("primary", "mymaster")

    @property
    def database(self) -> int:
        return int(self.address.name or 0)

    @property
    def tls(self) -> bool:
        """Whether servers and Sentinels use TLS; their certificates are verified."""
        return self.address.options.get("tls", "0") == "1"

    @property
    def login(self) -> dict[str, str]:
        account = {"username": self.address.user, "password": self.address.password}
        return {name: value for name, value in account.items() if value}

    def asking(self, seconds: float) -> dict[str, Any]:
        """Return options for connections to Sentinels: one that is away is not waited for.

        Without them each would be tried four times, a little later each time.
        """
        password = self.address.options.get("sentinel_password")
        return {
            "socket_connect_timeout": seconds,
            "socket_timeout": seconds,
            "retry": None,
            "ssl": self.tls,
        } | ({"password": password} if password else {})


def parse_sentinels(url: str) -> Sentinels | None:
    """Return the Sentinels that an address names, or None for the address of a single server.

    Raises:
        ValueError: the Sentinels' address cannot be read.
    """
    if not url.startswith(f"{SCHEME}://"):
        return None
    found = Sentinels(addresses.parse_address(url))
    if not found.nodes or found.database < 0 or _unknown(found.address.options):
        raise ValueError(
            "it must read sentinel://user:password@one:26379,two:26379/0 and may end in "
            "?primary=name&sentinel_password=…&tls=1"
        )
    return found


def _unknown(options: dict[str, str]) -> set[str]:
    return options.keys() - {"primary", "sentinel_password", "tls"}


def connect(url: str, *, seconds: float) -> Redis:
    """Return a client that waits for `seconds` for a connection and for each answer."""
    patience: dict[str, Any] = {
        "socket_connect_timeout": seconds,
        "socket_timeout": seconds,
        "retry": None,
    }
    found = parse_sentinels(url)
    if found is None:
        return Redis.from_url(url.replace("redis+socket://", "unix://"), **patience)
    known = Sentinel(
        found.nodes,
        sentinel_kwargs=found.asking(seconds),
        db=found.database,
        ssl=found.tls,
        **found.login,
        **patience,
    )
    return known.master_for(found.primary)
