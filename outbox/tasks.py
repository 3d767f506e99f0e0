"""Celery task that sends messages; it carries no data."""

from celery import shared_task

from outbox.notifier import SEND, sending_notifier
from outbox.sending import send_waiting


@shared_task(name=SEND)
def send():
    """Send due messages; wake the task again if time ran out first."""
    if send_waiting():
        sending_notifier.wake()
