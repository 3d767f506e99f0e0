"""Accounts that nobody has used for long."""

from celery import shared_task
from django.conf import settings

from accounts.personal import forget_idle


@shared_task
def forget_idle_accounts():
    """Forget who has been away for longer than the site keeps accounts."""
    forget_idle(days=settings.KEEP_IDLE_DAYS)
