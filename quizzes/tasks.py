"""Tasks: each calls one service, and carries no data."""

from celery import shared_task

from quizzes.authoring.queries import somebody_waits
from quizzes.bells import grading_bell, rehearsal_bell, ruling_bell
from quizzes.delivery.services.previews import clear_previews
from quizzes.delivery.services.retention import forget_old
from quizzes.delivery.services.stocking import clear_stock
from quizzes.delivery.services.stocking import stock_variants as stock
from quizzes.delivery.services.taking import close_overdue
from quizzes.marking.services import grade_waiting
from quizzes.regrades.services import apply_waiting, run_dry_waiting
from quizzes.simulation.services import rehearse_waiting

# A grader that hangs is stopped before the claim of its batch runs out, and others go on.
SOON = {"soft_time_limit": 6, "time_limit": 7}


@shared_task(**SOON)
def grade():
    """Mark waiting submissions; wake another worker if time ran out first."""
    if grade_waiting():
        grading_bell.ring()


@shared_task(**SOON)
def sweep():
    """Close overdue attempts and mark waiting submissions. Return whether any are still waiting."""
    close_overdue()
    if grade_waiting():
        grading_bell.ring()
    if apply_waiting() or run_dry_waiting(seconds=0):  # dry runs have no time here
        ruling_bell.ring()
    return somebody_waits()


@shared_task
def stock_variants():
    """Draw variants ahead of the students."""
    stock()


@shared_task
def tidy():
    """Delete what was drawn ahead and is asked for no more, and what is too old to be kept."""
    clear_stock()
    clear_previews()
    forget_old()


@shared_task
def rehearse():
    """Run simulations for a while; wake another worker if any are left. Marking comes between."""
    if rehearse_waiting():
        rehearsal_bell.ring()


@shared_task(**SOON)
def rule():
    """Apply regrades or run dry runs for a while; wake another worker if any are left.

    Marking comes between.
    """
    if apply_waiting() or run_dry_waiting():
        ruling_bell.ring()
