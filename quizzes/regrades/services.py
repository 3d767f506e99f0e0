"""Regrades: dry runs, acceptance, application by workers, and undoing.

The rows of accepted regrades are the queue. A worker that dies has committed only whole batches of
lines.
"""

import time
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from audit.services import record
from foundation.fingerprints import fingerprint
from foundation.locking import lock_free
from quizzes.bulk import insert_rows
from quizzes.errors import Refused, Stale
from quizzes.models import APPENDING_OUTCOMES, Answer, Attempt, Quiz, Ruling, RulingLine, Submission
from quizzes.regrades.letters import notify_of_changes
from quizzes.regrades.queries import regrades
from quizzes.regrades.queries.dry_runs import (
    dry_run,
    final_counts,
    grades_in_scope,
    is_long,
    next_attempts,
    value_errors,
)
from quizzes.regrades.queries.marks import totals
from quizzes.regrades.rules import DECIDED_OUTCOMES, MarkChange, add_summaries
from quizzes.regrades.sql import append_grades, lock_marking, write_totals

APPLIED, UNDONE = "quizzes.ruling.applied", "quizzes.ruling.undone"
# The events' values that are marks of the person concerned.
EVENT_MARKS = ("points", *DECIDED_OUTCOMES)
# Lines appended in one transaction: half a second on a slow machine.
BATCH_SIZE = 2000
# Answers in one part of a dry run, and how long a worker's claim on it lasts.
PART_SIZE, CLAIM_TIME = 1000, timedelta(seconds=8)
# How long until a part that failed is tried again, as trying again seldom helps.
FAILED_CLAIM_TIME = timedelta(minutes=10)
# The fields that an instructor chooses.
CHOSEN_FIELDS = (
    "kind", "scope", "sitting_id", "slot_id", "family", "question_id", "variant_id", "item_id",
    "undoes_id", "values", "never_lower", "over_hand", "tells", "reason",
)  # fmt: skip

Kind, State = Ruling.Kind, Ruling.State


# The dry run


@transaction.atomic
def draft_regrade(*, regrade: Ruling) -> Ruling:
    """Save a regrade as a draft and run its dry run. Workers, whom the caller wakes, run long ones.

    While they are running that of an equal draft, renew and return that draft instead.

    Raises:
        Refused: it has no reason, makes no sense, or nothing is left of what it is narrowed to.
    """
    if not regrade.reason.strip():
        raise Refused(_("Enter a reason. Students see it beside their marks."))
    if regrade.kind != Kind.UNDO and (wrong := value_errors(regrade)):
        raise Refused(next(iter(wrong.values())))
    if regrade.kind in (Kind.ADJUST, Kind.UNDO):  # these are always deliberate
        regrade.never_lower, regrade.over_hand = False, True
    if begun := _running_duplicate(regrade):
        return renew_dry_run(regrade=begun)
    regrade.state = State.DRAFT
    regrade.save()
    _start_dry_run(regrade)
    return regrade


def _running_duplicate(regrade: Ruling) -> Ruling | None:
    if not is_long(regrade):
        return None
    # A second save of the same draft at the same moment waits, and then finds the first.
    Quiz.objects.select_for_update(no_key=True).get(pk=regrade.quiz_id)
    running = Ruling.objects.drafts().filter(quiz=regrade.quiz_id, ran_to__isnull=False)
    chosen = attrgetter(*CHOSEN_FIELDS, "event_scope")
    return next((each for each in running if chosen(each) == chosen(regrade)), None)


def check_undoable(regrade: Ruling) -> None:
    """Raise Refused where a regrade cannot be undone, or not any more."""
    if regrade.state == State.UNDONE:
        raise Refused(_("Someone has already undone this regrade."))
    if not regrade.can_be_undone:
        raise Refused(_("Only an applied regrade can be undone."))


def draft_undo(*, regrade: Ruling, by: Any, reason: str) -> Ruling:
    """Save a draft that gives the marks as if another regrade had not been made.

    Raises:
        Refused: that regrade is not applied, or is an undo itself.
    """
    check_undoable(regrade)
    undo = Ruling(
        kind=Kind.UNDO,
        quiz=regrade.quiz,
        sitting=regrade.sitting,
        scope=regrade.scope,
        undoes=regrade,
        reason=reason,
        by=by,
        event_scope=regrade.event_scope,
    )
    return draft_regrade(regrade=undo)


@transaction.atomic
def renew_dry_run(*, regrade: Ruling, **changes: Any) -> Ruling:
    """Run a draft's dry run again on the current marks, with changed fields if given; return it.

    Raises:
        Refused: it is no longer a draft, or the changes make no sense.
    """
    draft = _locked_draft(regrade)
    changes = {name: value for name, value in changes.items() if getattr(draft, name) != value}
    if not changes and draft.is_running and regrades.marks_fingerprint(draft) == draft.seen:
        return draft  # workers are already running exactly this
    for name, value in changes.items():
        setattr(draft, name, value)
    if draft.kind != Kind.UNDO and (wrong := value_errors(draft)):
        raise Refused(next(iter(wrong.values())))
    if changes:
        draft.save(update_fields=[*changes])
    _start_dry_run(draft)
    return draft


@transaction.atomic
def discard_regrade(*, regrade: Ruling) -> None:
    """Delete a draft and its lines.

    Raises:
        Refused: it is no longer a draft.
    """
    draft = _locked_draft(regrade)
    draft.lines.all().delete()
    draft.delete()


def _locked_draft(regrade: Ruling) -> Ruling:
    draft = Ruling.objects.select_for_update(of=("self",)).filter(pk=regrade.pk).first()
    if draft is None or not draft.is_draft:
        raise Refused(_("This regrade is no longer a dry run. Reload the page to see its state."))
    return draft


def _start_dry_run(regrade: Ruling) -> None:
    """Run the dry run, or leave a long one to the workers, whom the caller wakes."""
    regrade.lines.all().delete()
    regrade.seen = regrades.marks_fingerprint(regrade)
    regrade.ran_to = regrade.claimed_until = None
    regrade.summary, regrade.lines_done, regrade.lines_to_do = {}, 0, 0
    if is_long(regrade):
        regrade.ran_to, regrade.lines_to_do = 0, grades_in_scope(regrade).count()
    else:
        changes, summary = dry_run(regrade)
        _write_lines(regrade, changes)
        regrade.summary = summary | final_counts(regrade)
    regrade.save(
        update_fields=["seen", "ran_to", "claimed_until", "summary", "lines_done", "lines_to_do"]
    )


def run_waiting_dry_runs(*, seconds: float = 2.0) -> bool:
    """Run dry runs, part after part, for up to `seconds`. Return whether any are left to claim.

    Two workers at once take different ones. A part that was lost with its worker is run again, and
    the result of one that was restarted meanwhile is thrown away.
    """
    until = time.monotonic() + seconds
    while time.monotonic() < until and (draft := _claim_dry_run()) is not None:
        try:
            _run_part(draft)
        except Exception:
            _claims_of(draft).update(claimed_until=timezone.now() + FAILED_CLAIM_TIME)
            raise
    return Ruling.objects.unfinished_dry_runs().exists()


def _claim_dry_run() -> Ruling | None:
    free = Ruling.objects.unfinished_dry_runs()
    for pk in free.order_by("pk").values_list("pk", flat=True)[:10]:
        until = timezone.now() + CLAIM_TIME
        if not free.filter(pk=pk).update(claimed_until=until):
            continue
        # If it was restarted or discarded since, the claim is gone.
        if draft := Ruling.objects.filter(pk=pk, claimed_until=until).first():
            return draft
    return None


def _run_part(draft: Ruling) -> None:
    """Run the next part, and store its result unless the claim was lost."""
    changes: list[MarkChange] = []
    kept: dict[str, Any] = {"claimed_until": None}
    if attempts := next_attempts(draft, PART_SIZE):
        changes, summary = dry_run(draft, attempts)
        kept["ran_to"], kept["lines_done"] = attempts[-1], draft.lines_done + summary["answers"]
        kept["summary"] = add_summaries(draft.summary, summary)
    else:
        kept |= {"ran_to": None, "lines_done": 0, "lines_to_do": 0}
        kept["summary"] = draft.summary | final_counts(draft)
    with transaction.atomic():
        if _claims_of(draft).update(**kept):
            _write_lines(draft, changes)


def _claims_of(draft: Ruling) -> QuerySet[Ruling]:
    """Return the draft's row while this process holds its claim, otherwise none."""
    return Ruling.objects.filter(pk=draft.pk, claimed_until=draft.claimed_until)


_LINE_COLUMNS = (
    "ruling", "answer", "attempt", "grade_before", "points", "out_of", "verdict", "mistake",
    "steps", "core_version", "score", "score_out_of", "outcome", "passing", "applied",
)  # fmt: skip


def _write_lines(regrade: Ruling, changes: Iterable[MarkChange]) -> None:
    rows = [
        (
            *(regrade.pk, each.answer, each.attempt, each.grade),
            *(float(each.after.points), float(each.after.out_of)),
            *(each.after.verdict, each.after.mistake, each.after.steps, each.core_version),
            *map(float, each.total),
            *(each.outcome, each.passing, False),
        )
        for each in changes
    ]
    insert_rows(RulingLine, _LINE_COLUMNS, rows)


# Accepting


def accept_regrade(*, regrade: Ruling, by: Any, digest: str | None = None) -> Ruling:
    """Accept a draft for the workers to apply.

    Answers marked from now on are marked under it, unless it is an adjustment or an undo.

    The caller wakes the workers.

    Args:
        digest: the `fingerprint` of the draft that was shown; None where nobody was shown one.

    Raises:
        Stale: marks have changed since the dry run, or the draft since it was shown.
        Refused: it is no draft, its dry run is unfinished, it adjusts nothing, what it undoes
            cannot be undone, or another regrade of the quiz is being applied.
    """
    now = timezone.now()
    with transaction.atomic():
        # Marking writes either before this lock, and the dry run is stale, or after it, and applies
        # the regrade itself.
        lock_marking()
        draft = _locked_draft(regrade)
        if Ruling.objects.waiting().filter(quiz=draft.quiz_id).exists():
            raise Refused(
                _("Another regrade on this quiz is being applied. Wait until it has finished.")
            )
        if draft.undoes_id:
            check_undoable(draft.undoes)
        if draft.is_running:
            raise Refused(_("This dry run is still in progress. Wait until it has finished."))
        if digest is not None and digest != fingerprint(draft):
            raise Stale(_("This dry run has changed since you saw it. Check it again."))
        if regrades.marks_fingerprint(draft) != draft.seen:
            raise Stale(_("Marks or regrades have changed since this dry run. Run it again."))
        to_do = draft.lines.appending()
        draft.lines_to_do = to_do.count()
        if draft.kind == Kind.ADJUST and not draft.lines_to_do:
            raise Refused(_("This wouldn’t change anything."))
        draft.state, draft.accepted_at, draft.by = State.WAITING, now, by
        draft.save(update_fields=["state", "accepted_at", "by", "lines_to_do"])
        if draft.undoes_id:
            Ruling.objects.filter(pk=draft.undoes_id).update(state=State.UNDONE)
        _queue_again(regrades.unmarked_submissions(draft))
        _record_event(draft, by, to_do)
    return draft


def _queue_again(submissions: Any) -> None:
    """Queue submissions whose solution has changed, to be marked by today's."""
    Submission.objects.filter(pk__in=list(submissions.values_list("pk", flat=True))).update(
        state=Submission.State.WAITING, tries=0, claimed_by="", claimed_until=None
    )


def _record_event(regrade: Ruling, by: Any, to_do: Any) -> None:
    undone = regrade.undoes
    person = None
    if regrade.kind == Kind.ADJUST and regrade.item:
        person = regrade.item.attempt.student
    counts = {name: regrade.summary.get(name, 0) for name in DECIDED_OUTCOMES}
    record(
        actor=by,
        verb=UNDONE if undone else APPLIED,
        target=undone or regrade,
        person=person,
        scope=regrade.event_scope,
        after={
            "quiz": regrade.quiz.title,
            "ruled": (undone or regrade).kind,
            **(undone or regrade).values,
            **counts,
        },
        reason=regrade.reason,
    )


# Applying, in a worker


def apply_waiting_regrades(*, seconds: float = 2.0) -> bool:
    """Apply waiting regrades in batches for up to `seconds`. Return whether to go on."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not _apply_batch():
            return False
    return Ruling.objects.waiting().exists()


def _apply_batch() -> bool:
    """Apply the next lines of an unlocked waiting regrade, or end it. Return False without one."""
    waiting = Ruling.objects.waiting().in_order()
    if not waiting.exists():
        return False
    with transaction.atomic():
        # With NO KEY, marking under the regrade can refer to its row meanwhile.
        regrade = lock_free(waiting, no_key=True).first()
        if regrade is None:
            return False
        lines = _next_lines(regrade)
        if lines:
            apply_lines(regrade, lines)
        else:
            regrade.state, regrade.applied_at = State.APPLIED, timezone.now()
            regrade.save(update_fields=["state", "applied_at"])
    return True


def _next_lines(regrade: Ruling) -> list[Any]:
    """Return the next lines to apply, with all that are left of the last attempt."""
    rest = regrade.lines.appending().filter(applied=False).order_by("attempt", "pk")
    columns = ("pk", "attempt", "score", "score_out_of")
    lines = list(rest.values_list(*columns, named=True)[:BATCH_SIZE])
    if len(lines) == BATCH_SIZE:
        lines += rest.filter(attempt=lines[-1].attempt, pk__gt=lines[-1].pk).values_list(
            *columns, named=True
        )
    return lines


def apply_lines(regrade: Ruling, lines: Collection[Any]) -> None:
    """Append the grades of these lines, and update the totals of their attempts.

    Lines whose mark is no longer the latest are skipped and become stale.
    """
    attempts = sorted({line.attempt for line in lines})
    locked = Attempt.objects.select_for_update().filter(pk__in=attempts).order_by("pk")
    list(locked.values_list("pk", flat=True))
    keys = [line.pk for line in lines]
    stale = dict(regrades.stale_lines(regrade).filter(pk__in=keys).values_list("pk", "attempt"))
    if stale:
        RulingLine.objects.filter(pk__in=stale).update(outcome=RulingLine.Outcome.STALE)
    fresh = [line for line in lines if line.pk not in stale]
    append_grades([line.pk for line in fresh], timezone.now())
    RulingLine.objects.filter(pk__in=[line.pk for line in fresh]).update(applied=True)
    with_stale = set(stale.values())
    # Without a stale line, an attempt's total is the one that the dry run computed.
    write_totals(
        {
            line.attempt: (line.attempt, line.score, line.score_out_of)
            for line in fresh
            if line.attempt not in with_stale
        }.values()
    )
    update_totals(with_stale)
    Ruling.objects.filter(pk=regrade.pk).update(lines_done=F("lines_done") + len(lines))
    if regrade.tells:
        notify_of_changes(regrade, [line.pk for line in fresh])


def update_totals(attempts: Collection[int]) -> None:
    """Set the attempts' totals to the sum of their latest marks; the caller has locked them."""
    if not attempts:
        return
    write_totals(
        (pk, float(total.points), float(total.out_of)) for pk, total in totals(attempts).items()
    )


# Answers that are marked later


def answers_accepting_changes(answers: Collection[int]) -> set[int]:
    """Return the answers that an active regrade lets today's solution mark."""
    found: set[int] = set()
    of_answers = Attempt.objects.filter(items__answers__in=list(answers)).values("quiz")
    for regrade in Ruling.objects.active().filter(kind=Kind.REGRADE, quiz__in=of_answers):
        covered = Answer.objects.filter(regrades.answers_in_scope(regrade), pk__in=list(answers))
        found.update(covered.values_list("pk", flat=True))
    return found


def regrade_new_attempts(*, attempts: Collection[int]) -> None:
    """Apply the active regrades, in their order, to attempts that were just marked.

    Runs in the transaction that marked them.
    """
    standing = Ruling.objects.active().filter(_covering(attempts)).select_related("quiz")
    now = timezone.now()
    touched: set[int] = set()
    has_changed = False
    for regrade in standing.in_order():
        has_changed |= regrade.kind == Kind.TOLERANCE or regrade.corrects
        # Marking has used today's core, and the variant's own version and tolerance: marking again
        # changes nothing unless a regrade changes one of these, or has before.
        if regrade.kind != Kind.REGRADE or has_changed:
            touched |= _regrade_attempts(regrade, attempts, now)
    if touched:
        update_totals(touched)


def _covering(attempts: Collection[int]) -> Q:
    own = Attempt.objects.filter(pk__in=list(attempts))
    return Q(quiz__in=own.values("quiz")) & (Q(sitting=None) | Q(sitting__in=own.values("sitting")))


def _regrade_attempts(regrade: Ruling, attempts: Collection[int], now: datetime) -> set[int]:
    changes, _summary = dry_run(regrade, attempts)
    _write_lines(regrade, changes)
    appended = [each for each in changes if each.outcome in APPENDING_OUTCOMES]
    lines = regrade.lines.filter(answer__in=[each.answer for each in appended])
    append_grades(list(lines.values_list("pk", flat=True)), now)
    lines.update(applied=True)
    return {each.attempt for each in appended}
