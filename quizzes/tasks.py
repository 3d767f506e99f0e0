"""Tasks: each calls one service, and carries no data."""

from celery import shared_task

from quizzes.authoring.queries import has_waiting_submissions
from quizzes.delivery.services import stocking
from quizzes.delivery.services.previews import clear_previews
from quizzes.delivery.services.retention import apply_retention
from quizzes.delivery.services.taking import close_overdue
from quizzes.marking.services import GATHERING_SECONDS, grade_waiting
from quizzes.notifiers import (
    grading_notifier,
    proof_notifier,
    regrade_notifier,
    simulation_notifier,
)
from quizzes.regrades.services import apply_waiting_regrades, run_waiting_dry_runs
from quizzes.simulation.services import run_waiting_simulations
from quizzes.written.proofs import has_waiting_proofs, run_waiting_proofs

# A grader that hangs is stopped before the claim of its batch runs out, and others go on.
TIME_LIMITS = {"soft_time_limit": 6, "time_limit": 7}


@shared_task(**TIME_LIMITS)
def grade():
    """Mark waiting submissions; wake another worker if time ran out first."""
    if grade_waiting(gather=GATHERING_SECONDS):
        grading_notifier.wake()


@shared_task(**TIME_LIMITS)
def sweep():
    """Close overdue attempts and mark waiting submissions. Return whether any are still waiting."""
    close_overdue()
    if grade_waiting():
        grading_notifier.wake()
    if apply_waiting_regrades() or run_waiting_dry_runs(seconds=0):  # dry runs have no time here
        regrade_notifier.wake()
    if has_waiting_proofs():
        proof_notifier.wake()
    return has_waiting_submissions()


@shared_task
def stock_variants():
    """Draw variants ahead of the students."""
    stocking.stock_variants()


@shared_task
def tidy():
    """Delete unused variants that no quiz asks for, and data past its retention period."""
    stocking.clear_stock()
    clear_previews()
    apply_retention()


@shared_task
def rehearse():
    """Run simulations for a while; wake another worker if any are left. Marking comes between."""
    if run_waiting_simulations():
        simulation_notifier.wake()


@shared_task
def prove():
    """Prove problems for a while; wake another worker if any are left. Marking comes between."""
    if run_waiting_proofs():
        proof_notifier.wake()


@shared_task(**TIME_LIMITS)
def rule():
    """Apply regrades or run dry runs for a while; wake another worker if any are left.

    Marking comes between.
    """
    if apply_waiting_regrades() or run_waiting_dry_runs():
        regrade_notifier.wake()
