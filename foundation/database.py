"""What can be said of a database whatever is asked of it."""

from django.db import InterfaceError, InternalError, OperationalError

# It is gone, full, read-only, out of connections or too slow: nobody's fault who asked, and the
# same may go well later. (To PostgreSQL a transaction that is read-only is an internal error.)
AWAY = (OperationalError, InterfaceError, InternalError)
