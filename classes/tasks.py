"""Celery tasks of classes; each calls a service and carries no data."""

from celery import shared_task

from classes.assignments.services.mornings import post_morning_letters
from classes.assignments.services.reminders import check_waiting
from classes.people.services.importing import delete_unconfirmed_imports
from foundation.notifier import Notifier


@shared_task
def forget_imports():
    """Delete unconfirmed lists of people."""
    delete_unconfirmed_imports()


@shared_task
def post_letters():
    """Post letters about due work and released marks; wake the task again if time ran out."""
    if check_waiting():
        letters_notifier.wake()


@shared_task
def post_morning():
    """Post the letters about what waits to staff of classes whose morning it is."""
    post_morning_letters()


letters_notifier = Notifier(post_letters)
