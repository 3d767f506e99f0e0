"""Proofs in words: how far one is, what it found, and the facts of a published version."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from quizzes import problems
from quizzes.authoring.presenters.slots import format_cost
from quizzes.models import ProblemProof, WrittenProblem


def proof_context(problem: WrittenProblem) -> dict[str, Any] | None:
    """Return what the page shows of the latest proof; None if there was none."""
    proof = problem.proofs.select_related("asked_by").first()
    if proof is None:
        return None
    if proof.state != ProblemProof.State.WAITING:  # it may have published the version meanwhile
        problem.refresh_from_db(fields=["published_at"], from_queryset=WrittenProblem.every.all())
    result = proof.result or {}
    return {
        "waiting": proof.state == ProblemProof.State.WAITING,
        "failed": proof.state == ProblemProof.State.FAILED,
        "done": round(100 * proof.done_share),
        "publishes": proof.publishes,
        "published": not problem.is_draft,
        "variants": result.get("variants", proof.variants),
        "asked_at": proof.asked_at,
        "stale": proof.text != problem.text,
        "trouble": proof.trouble,
        "warnings": [*result.get("advice", ()), *_off(result.get("own_off", {}))],
        "facts": facts_context(result),
    }


def _off(own: Mapping[str, Mapping[str, list[Mapping[str, int]]]]) -> list[str]:
    """Return a sentence on each of the author's own mistakes that is off at some sizes."""
    words = _(
        "Your mistake %(key)s at %(step)s isn’t recognised at %(sizes)s: its shape is wrong there,"
        " or its numbers look like the right answer or another mistake."
    )
    return [
        words % {"key": key, "step": step, "sizes": "; ".join(map(_sizes, at))}
        for step, mistakes in own.items()
        for key, at in mistakes.items()
    ]


def facts_context(facts: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Return a line for each combination of sizes: its cost, and how many numbers it has."""
    return [_line(at) for at in facts.get("sizes", ())] if facts else []


def _line(at: Mapping[str, Any]) -> dict[str, Any]:
    counted = ngettext("%(count)s set of numbers", "%(count)s sets of numbers", at["distinct"]) % {
        "count": f"{at['distinct']:,}"
    }
    at_least = _("at least %(counted)s") % {"counted": counted}
    return {
        "sizes": _sizes(at["options"]),
        "cost": format_cost(problems.Cost(at["cells"], at["minutes"])),
        "distinct": counted if at["enumerated"] else at_least,
        "few": at["distinct"] < problems.PRACTICE_ONLY_BELOW,
    }


def _sizes(options: Mapping[str, int]) -> str:
    sizes = ", ".join(f"{name} = {size}" for name, size in options.items())
    return sizes or _("its only size")
