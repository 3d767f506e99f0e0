"""Celery tasks that clean up accounts at night; they carry no data."""

from celery import shared_task
from django.conf import settings

from accounts.personal import forget_idle
from accounts.services import delete_expired_sessions
from foundation.folded_names import fold_all_blank


@shared_task
def forget_idle_accounts():
    """Erase users who were idle for longer than the site keeps accounts."""
    forget_idle(days=settings.KEEP_IDLE_DAYS)


@shared_task
def forget_sessions():
    """Delete expired sessions."""
    delete_expired_sessions()


@shared_task
def fold_names():
    """Fill the search columns of people whom a process of an earlier release saved without."""
    fold_all_blank()
