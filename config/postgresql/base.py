"""The backend's connection, in the module where Django looks for it."""

from contextlib import suppress
from functools import partial
from typing import Any

from django.db.backends.postgresql import base
from psycopg import Connection, OperationalError


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that gives up if the server is silent for longer than any statement may take.

    A frozen server keeps no time, so its own limits end nothing, and its kernel goes on
    acknowledging packets: only the client can tell. Behind a pooler sessions have no limits of
    their own, so there this is the limit of every statement.
    """

    def get_new_connection(self, conn_params: dict[str, Any]) -> Connection[Any]:
        connection = super().get_new_connection(conn_params)
        if seconds := self.settings_dict.get("SECONDS"):
            pooled = self.settings_dict["DISABLE_SERVER_SIDE_CURSORS"]
            connection.wait = partial(_wait, connection, seconds=seconds + 0.5, cancel=pooled)
        return connection


def _wait(
    connection: Connection[Any], *args: Any, seconds: float, cancel: bool, **more: Any
) -> Any:
    try:
        return Connection.wait(connection, *args, **{"timeout": seconds} | more)
    except OperationalError:
        if connection.info.transaction_status.name == "ACTIVE":
            if cancel:  # or the server would go on, waiting for a row for example
                with suppress(OperationalError):
                    connection.cancel_safe(timeout=1)
            connection.pgconn.finish()  # nobody reads a late answer
        raise
