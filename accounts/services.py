"""What is done to accounts without anybody's asking."""

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils import timezone


@transaction.atomic
def forget_sessions() -> None:
    """Delete the sessions that have run out, and what is told of the browsers they were of."""
    Session.objects.filter(expire_date__lt=timezone.now()).delete()
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()
