"""A doorbell: the task calls a service, and carries no data."""

from celery import shared_task

from classes.services.importing import forget_imports as forget


@shared_task
def forget_imports():
    """Delete lists of people that nobody has confirmed."""
    forget()
