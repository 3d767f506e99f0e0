"""The cache that all processes share."""

from typing import Any

from django.core.cache.backends import db
from django.db import connections, router

from foundation.database import AWAY


class DatabaseCache(db.DatabaseCache):
    """Says so when the database takes nothing in.

    Django's says no more than that it set nothing, which the limits on login attempts take for
    somebody else's attempt at the same moment: a database that is read-only looked like a guesser.
    """

    def _base_set(self, *args: Any, **more: Any) -> bool:
        troubles = []

        def listen(execute: Any, *call: Any) -> Any:
            try:
                return execute(*call)
            except AWAY as trouble:
                troubles.append(trouble)
                raise

        with connections[router.db_for_write(self.cache_model_class)].execute_wrapper(listen):
            done = super()._base_set(*args, **more)
        if troubles:
            raise troubles[0]
        return bool(done)
