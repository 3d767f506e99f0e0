"""The cache backend that all processes share."""

from typing import Any

from django.core.cache.backends import db
from django.db import connections, router

from foundation.database import DATABASE_UNAVAILABLE


class DatabaseCache(db.DatabaseCache):
    """A database cache that raises an error if the database does not accept a write.

    Django's only reports that it set nothing. The limits on login attempts take that for a
    concurrent attempt, so that a read-only database looked like somebody guessing passwords.
    """

    def _base_set(self, *args: Any, **more: Any) -> bool:
        troubles = []

        def listen(execute: Any, *call: Any) -> Any:
            try:
                return execute(*call)
            except DATABASE_UNAVAILABLE as trouble:
                troubles.append(trouble)
                raise

        with connections[router.db_for_write(self.cache_model_class)].execute_wrapper(listen):
            done = super()._base_set(*args, **more)
        if troubles:
            raise troubles[0]
        return bool(done)
