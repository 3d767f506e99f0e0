"""Celery tasks of classes; each calls a service and carries no data."""

from celery import shared_task

from classes.assignments.services.reminders import tell_waiting
from classes.people.services.importing import forget_imports as forget
from foundation.doorbell import Doorbell


@shared_task
def forget_imports():
    """Delete unconfirmed lists of people."""
    forget()


@shared_task
def tell():
    """Post letters about due work and released marks; wake the task again if time ran out."""
    if tell_waiting():
        telling_bell.ring()


telling_bell = Doorbell(tell)
