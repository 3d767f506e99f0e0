"""What Django looks for under this name: the connection of an ENGINE."""

from functools import partial
from typing import Any

from django.db.backends.postgresql import base
from psycopg import Connection, OperationalError


class DatabaseWrapper(base.DatabaseWrapper):
    """Gives up a connection whose server is silent for longer than any statement may take.

    A server that is frozen keeps no time, so its own limits end nothing, and its kernel goes on
    acknowledging what arrives: only whoever waits can tell.
    """

    def get_new_connection(self, conn_params: dict[str, Any]) -> Connection[Any]:
        connection = super().get_new_connection(conn_params)
        if seconds := self.settings_dict.get("SECONDS"):
            connection.wait = partial(_wait, connection, seconds=seconds + 0.5)
        return connection


def _wait(connection: Connection[Any], *args: Any, seconds: float, **more: Any) -> Any:
    try:
        return Connection.wait(connection, *args, **{"timeout": seconds} | more)
    except OperationalError:
        if connection.info.transaction_status.name == "ACTIVE":
            connection.pgconn.finish()  # whatever it may still answer, nobody reads it
        raise
