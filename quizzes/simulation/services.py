"""Simulations: robots take a quiz in memory, and only the result is stored."""

import secrets
import time
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.locking import claim_first, unclaimed
from quizzes import problems
from quizzes.authoring.queries import askable_questions, has_waiting_submissions
from quizzes.items.queries import topic_titles
from quizzes.models import Quiz, Rehearsal
from quizzes.simulation.robots import (
    Part,
    robots_for,
    simulate_problem,
    simulate_question,
    summarize,
)

# Longer than the slowest slot takes. A lost worker blocks its simulation for this time.
CLAIM_TIME = timedelta(seconds=30)


@transaction.atomic
def queue_simulation(*, quiz: Quiz, by) -> Rehearsal:
    """Queue a simulation of the quiz as it is now, or return the one that is under way."""
    Quiz.objects.select_for_update().get(pk=quiz.pk)
    if waiting := quiz.rehearsals.filter(state=Rehearsal.State.WAITING).first():
        return waiting
    return Rehearsal.objects.create(
        quiz=quiz, asked_by=by, seed=secrets.token_hex(8), asked=simulation_input(quiz)
    )


def simulation_input(quiz: Quiz) -> dict[str, Any]:
    """Return what the robots are asked. Comparing it later shows whether the quiz has changed."""
    titles = topic_titles()
    return {
        "minutes": quiz.own_sitting.minutes,
        "pass_mark": quiz.pass_mark,
        "slots": [
            {
                "position": slot.position,
                "points": slot.points,
                "family": slot.family,
                "options": slot.options,
                "topic": slot.topic,
                # Not in simulations that were run before there were versions.
                **({"version": slot.family_version} if slot.family_version else {}),
                "title": problems.family_title(slot.family, slot.family_version)
                if slot.family
                else titles.get(slot.topic, slot.topic),
            }
            for slot in quiz.slots.order_by("position")
        ],
    }


def run_waiting_simulations(*, seconds: float = 3.0) -> bool:
    """Run simulations for up to `seconds` or until a student waits. Return whether any are left.

    Two workers at once take different simulations, slot by slot. A slot that was lost with its
    worker is answered again, by the same robots with the same numbers.
    """
    until = time.monotonic() + seconds
    while (claimed := _claim()) is not None:
        _run_next_slot(claimed)
        if time.monotonic() >= until or has_waiting_submissions():
            return _unclaimed_simulations().exists()
    return False


def _unclaimed_simulations():
    """Return waiting simulations that no worker has claimed."""
    return Rehearsal.objects.filter(unclaimed(), state=Rehearsal.State.WAITING)


def _claim() -> Rehearsal | None:
    with claim_first(_unclaimed_simulations().order_by("pk"), most=1) as taken:
        Rehearsal.objects.filter(pk__in=taken).update(claimed_until=timezone.now() + CLAIM_TIME)
    return Rehearsal.objects.filter(pk__in=taken).first()


def _run_next_slot(waiting: Rehearsal) -> None:
    """Run the next slot, outside any transaction; after the last one store the result."""
    slots, parts = waiting.asked["slots"], list(waiting.parts)
    changes: dict[str, Any] = {"claimed_until": None}
    try:
        if not slots:
            raise problems.UnknownKind(_("The quiz has no slots to answer."))
        parts.append(_simulate_slot(slots[len(parts)], waiting))
    except problems.UnknownKind as unknown:
        changes |= {"state": Rehearsal.State.FAILED, "trouble": str(unknown), "parts": []}
    else:
        changes |= {"slots_done": len(parts), "parts": parts}
        if len(parts) == len(slots):
            result = summarize(waiting.asked, parts)
            changes |= {"state": Rehearsal.State.DONE, "result": result, "parts": []}
    own = Rehearsal.objects.filter(pk=waiting.pk, claimed_until=waiting.claimed_until)
    if own.update(**changes) and changes.get("state"):
        earlier = Rehearsal.objects.filter(quiz=waiting.quiz_id, pk__lt=waiting.pk)
        earlier.delete()


def _simulate_slot(slot: dict[str, Any], waiting: Rehearsal) -> Part:
    robots = robots_for(waiting.asked, waiting.seed)
    if slot["family"]:
        try:
            return simulate_problem(slot, robots, waiting.seed)
        except problems.UnknownKind as unknown:
            words = _("Slot %(position)s: %(trouble)s.")
            params = {"position": slot["position"], "trouble": unknown}
            raise problems.UnknownKind(words % params) from unknown
    wordings = _questions(slot["topic"], waiting.quiz)
    if not wordings:
        words = _("Slot %(position)s: there’s no question on “%(topic)s” that can be asked.")
        params = {"position": slot["position"], "topic": slot["title"]}
        raise problems.UnknownKind(words % params)
    return simulate_question(slot, wordings, robots, waiting.seed)


def _questions(topic: str, quiz: Quiz) -> list[dict[str, Any]]:
    """Return the questions of a topic that have a right choice, as the quiz would ask them."""
    published = askable_questions([topic], quiz).order_by("key")
    wordings = [
        problems.question_wording(
            key=question.key,
            topic=question.topic,
            prompt=question.prompt,
            explanation=question.explanation,
            choices=[
                {
                    "key": choice.key,
                    "text": choice.text,
                    "correct": choice.correct,
                    "feedback": choice.feedback,
                }
                for choice in question.choices.all()
            ],
        )
        for question in published.prefetch_related("choices")
    ]
    return [each for each in wordings if any(choice["correct"] for choice in each["choices"])]
