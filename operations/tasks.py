"""Celery tasks that answer messages, to show that the broker and workers are alive."""

from celery import shared_task

from operations import pulse


@shared_task
def beat():
    """Record a message from beat, which shows that beat, the broker and a worker are alive."""
    pulse.record_pulse(pulse.BEAT)


@shared_task
def answer_doctor():
    """Record a message from the doctor, which shows that the broker and a worker are alive."""
    pulse.record_pulse(pulse.DOCTOR)
