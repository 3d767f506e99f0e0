"""The exceptions that mean that the database itself is in trouble."""

from django.db import InterfaceError, InternalError, OperationalError

# The database is unreachable, full, read-only, out of connections or too slow. The caller is not at
# fault, and a retry may succeed. (PostgreSQL reports a read-only transaction as an internal error.)
DATABASE_UNAVAILABLE = (OperationalError, InterfaceError, InternalError)
