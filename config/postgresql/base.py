"""What Django looks for under this name: the connection of an ENGINE."""

from contextlib import suppress
from functools import partial
from typing import Any

from django.db.backends.postgresql import base
from psycopg import Connection, OperationalError


class DatabaseWrapper(base.DatabaseWrapper):
    """Gives up a connection whose server is silent for longer than any statement may take.

    A server that is frozen keeps no time, so its own limits end nothing, and its kernel goes on
    acknowledging what arrives: only whoever waits can tell. Behind a pooler there are no limits of
    the session's own, so there this is the limit of every statement.
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
            if cancel:  # or the server would go on with it, waiting for a row, say
                with suppress(OperationalError):
                    connection.cancel_safe(timeout=1)
            connection.pgconn.finish()  # whatever it may still answer, nobody reads it
        raise
