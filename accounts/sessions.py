"""Session engine that reads Django's database sessions with a prepared query."""

from datetime import datetime

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone

from foundation.prepared import prepared


class SessionStore(db.SessionStore):
    """The session store that Django loads from a SESSION_ENGINE module under this name."""

    def _get_session_from_db(self) -> Session | None:
        for found in _live_session(self.session_key, timezone.now()):
            return found
        self._session_key = None
        return None


@prepared
def _live_session(key: str, now: datetime) -> QuerySet[Session]:
    return Session.objects.filter(session_key=key, expire_date__gt=now)
