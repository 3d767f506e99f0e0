"""Doorbells: a task calls a service, and carries no data."""

from celery import shared_task

from classes.assignments.services.reminders import tell_waiting
from classes.people.services.importing import forget_imports as forget
from foundation.doorbell import Doorbell


@shared_task
def forget_imports():
    """Delete lists of people that nobody has confirmed."""
    forget()


@shared_task
def tell():
    """Tell students of what is due and released; ring again if time ran out first."""
    if tell_waiting():
        telling_bell.ring()


telling_bell = Doorbell(tell)
