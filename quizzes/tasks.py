"""Doorbells: each task calls one service, and carries no data."""

from celery import shared_task

from quizzes.services.grading import grade_waiting
from quizzes.services.stocking import stock_variants as stock
from quizzes.services.taking import close_overdue


@shared_task
def grade():
    """Mark whatever waits; ring again if time ran out first."""
    if grade_waiting():
        grade.delay()


@shared_task
def sweep():
    """Close what is overdue and mark what was left behind by a lost message or worker."""
    close_overdue()
    if grade_waiting():
        grade.delay()


@shared_task
def stock_variants():
    """Draw variants ahead of the students."""
    stock()
