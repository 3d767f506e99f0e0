"""The tasks that tend accounts at night: doorbells, as everywhere."""

from celery import shared_task
from django.conf import settings

from accounts.personal import forget_idle
from accounts.services import forget_sessions as forget
from foundation.folded_names import fold_all_blank


@shared_task
def forget_idle_accounts():
    """Forget who has been away for longer than the site keeps accounts."""
    forget_idle(days=settings.KEEP_IDLE_DAYS)


@shared_task
def forget_sessions():
    """Delete the sessions that have run out."""
    forget()


@shared_task
def fold_names():
    """Make what people are searched by, where a process of an earlier release wrote none."""
    fold_all_blank()
