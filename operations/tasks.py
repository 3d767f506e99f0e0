"""The message that comes back."""

from celery import shared_task

from operations import pulse


@shared_task
def beat():
    """Beat, the broker and a worker are alive."""
    pulse.came_back(pulse.BEAT)


@shared_task
def answer_doctor():
    """The broker and a worker are alive, whatever beat does."""
    pulse.came_back(pulse.DOCTOR)
