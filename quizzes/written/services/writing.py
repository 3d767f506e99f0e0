"""Writing problems: drafts, versions, publishing and withdrawing."""

import re
from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from audit.services import record
from outbox.services import Note, post_all
from quizzes import problems
from quizzes.models import ProblemProof, Quiz, QuizShare, Slot, WrittenProblem
from quizzes.models.written_problems import MAX_KEY
from quizzes.written.loading import forget_newest, load_family
from sharing.models import IS_OWNER, administrators
from sharing.services import add_owner

PUBLISHED, WITHDRAWN = "quizzes.problem.published", "quizzes.problem.withdrawn"
LETTER = "quizzes.problem_corrected"
# Variants that a proof has to pass: of a draft that is saved, and of one that is published.
VARIANTS_ON_SAVING, VARIANTS_ON_PUBLISHING = 20, 200
# A number at the end of a key that is taken.
_ROOM = 4
_HEAD = re.compile(r"^(title|summary|part):[ \t]*(.*)$", re.MULTILINE)


class SavedMeanwhile(Exception):
    """Somebody else has saved the problem since it was read."""

    def __init__(self, current: WrittenProblem) -> None:
        super().__init__(str(current))
        self.current = current


class CannotPublish(Exception):
    """A version cannot be published; the message is for its author."""


def new_key(title: str) -> str:
    """Return a free key for a problem with this title: "own_", then the title."""
    stem = slugify(title).replace("-", "_")[: MAX_KEY - len(problems.OWN) - _ROOM] or "problem"
    stem = f"{problems.OWN}{stem.strip('_') or 'problem'}"
    taken = set(
        WrittenProblem.every.filter(key__startswith=stem).order_by().values_list("key", flat=True)
    )
    number, key = 1, stem
    while key in taken:
        number += 1
        key = f"{stem}_{number}"
    return key


@transaction.atomic
def save_problem(
    *, problem: WrittenProblem | None, text: str, corrects: bool, revision: int, by: Any
) -> WrittenProblem:
    """Save a problem's text as a draft, and return its row. A text with faults is saved too.

    A published version stays as it is, and the text becomes a draft of the next one.

    Raises:
        SavedMeanwhile: its newest row is no longer the one that was read.
    """
    text = text.replace("\r\n", "\n").replace("\0", "\ufffd")
    heads = heads_of(text)
    if problem is None:
        added = WrittenProblem(
            key=new_key(heads["title"]), text=text, language=problems.LANGUAGE, **heads
        )
        added.save()
        add_owner(row=added, user=by)
        return added
    current = WrittenProblem.every.select_for_update().get(key=problem.key, newest=True)
    if current.pk != problem.pk or current.revision != revision:
        raise SavedMeanwhile(current)
    if current.is_draft:
        current.text, current.corrects, current.language = text, corrects, problems.LANGUAGE
        current.revision += 1
        for name, value in heads.items():
            setattr(current, name, value)
        current.save()
        return current
    WrittenProblem.every.filter(pk=current.pk).update(newest=False, revision=revision + 1)
    draft = WrittenProblem(
        key=current.key,
        version=current.version + 1,
        text=text,
        language=problems.LANGUAGE,
        corrects=corrects,
        **heads,
    )
    draft.save()
    return draft


def heads_of(text: str) -> dict[str, str]:
    """Return the title, summary and part that a text names, though the rest has faults."""
    found = dict.fromkeys(("title", "summary", "part"), "")
    for match in _HEAD.finditer(text):
        field = WrittenProblem._meta.get_field(match[1])
        found[match[1]] = found[match[1]] or match[2].strip()[: field.max_length]
    return found


@transaction.atomic
def delete_draft(*, problem: WrittenProblem) -> None:
    """Delete a draft; the version before it is the newest again."""
    found = WrittenProblem.every.select_for_update().filter(key=problem.key).order_by("-version")
    newest, *earlier = found
    if newest.pk == problem.pk and newest.is_draft:
        newest.delete()
        if earlier:
            WrittenProblem.every.filter(pk=earlier[0].pk).update(newest=True)


@transaction.atomic
def queue_proof(*, problem: WrittenProblem, by: Any, publishes: bool = False) -> ProblemProof:
    """Queue a proof of a draft's text as it is now, in place of one that still waits.

    Raises:
        FormulaError: the text has a fault.
        CannotPublish: it is to be published and must not be.
    """
    current = WrittenProblem.every.select_for_update().get(pk=problem.pk)
    family = problems.sketch(current.text, current.key, current.version)
    if publishes:
        if not current.is_draft:
            raise CannotPublish(_("This version has already been published."))
        if not current.title:
            raise CannotPublish(_("Give it a title first: begin the text with “title: …”."))
        if trouble := _interface_trouble(current, family):
            raise CannotPublish(trouble)
    current.proofs.filter(state=ProblemProof.State.WAITING).delete()
    at_sizes = family.combinations()
    return ProblemProof.objects.create(
        problem=current,
        text=current.text,
        publishes=publishes,
        asked_by=by,
        variants=VARIANTS_ON_PUBLISHING if publishes else VARIANTS_ON_SAVING,
        chunks=1 + 2 * len(at_sizes),
    )


def _interface_trouble(problem: WrittenProblem, family: problems.Family) -> str:
    earlier = (
        WrittenProblem.every.filter(
            key=problem.key, version__lt=problem.version, published_at__isnull=False
        )
        .order_by("-version")
        .first()
    )
    if earlier is None:
        return ""
    return problems.changed_interface(load_family(earlier.key, earlier.version), family)


def publish_proven(*, proof: ProblemProof, facts: dict[str, Any]) -> str:
    """Publish the version that a proof was about. Return why that cannot be; "" if it is done.

    To be called in the transaction that ends the proof.
    """
    current = WrittenProblem.every.select_for_update().filter(pk=proof.problem_id).first()
    if current is None or not current.is_draft or current.text != proof.text:
        return _("The text has changed since. Prove it again to publish it.")
    current.facts = facts
    current.published_at, current.published_by_id = timezone.now(), proof.asked_by_id
    current.save()
    transaction.on_commit(forget_newest)
    record(actor=proof.asked_by, verb=PUBLISHED, target=current, after={"version": current.version})
    if current.corrects:
        _notify_of_correction(current)
    return ""


@transaction.atomic
def withdraw_version(*, problem: WrittenProblem, by: Any) -> None:
    """Withdraw a published version: nobody is asked it from now on. Answers to it are marked."""
    now = timezone.now()
    rows = WrittenProblem.every.filter(pk=problem.pk, published_at__isnull=False, withdrawn_at=None)
    if rows.update(withdrawn_at=now):
        transaction.on_commit(forget_newest)
        record(actor=by, verb=WITHDRAWN, target=problem, after={"version": problem.version})


def _notify_of_correction(problem: WrittenProblem) -> None:
    """Notify the owners of quizzes that ask an earlier version; each regrades their own.

    A quiz without owners is the administrators' to regrade.
    """
    slots = Slot.objects.filter(family=problem.key, family_version__lt=problem.version)
    quizzes = Quiz.objects.filter(pk__in=slots.values("quiz"))
    owners = QuizShare.objects.filter(IS_OWNER).values_list("user", flat=True)
    notes = [
        Note(
            to=owner,
            payload={
                "problem": problem.title or problem.key,
                "version": problem.version,
                "quiz": quiz.title,
                "path": reverse("quizzes:new-ruling"),
            },
            key=f"{LETTER}:{problem.pk}:{quiz.pk}:{owner}",
        )
        for quiz in quizzes
        for owner in owners.filter(quiz=quiz) or administrators()
    ]
    post_all(kind=LETTER, notes=notes)
