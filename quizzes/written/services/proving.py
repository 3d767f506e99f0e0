"""Proofs of problems by workers: a chunk at a time, so that a lost worker costs one chunk.

The first chunk tries the mistakes, then each combination of sizes has two: its facts, and its share
of the variants.
"""

import time
from collections import Counter
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.locking import claim_first, unclaimed
from quizzes import problems
from quizzes.models import ProblemProof, Submission
from quizzes.written.services.writing import publish_proven

# Longer than the slowest chunk takes. A lost worker blocks its proof for this time.
CLAIM_TIME = timedelta(seconds=30)
MAX_TRIES = 3


def run_waiting_proofs(*, seconds: float = 3.0) -> bool:
    """Prove for up to `seconds` or until a student waits. Return whether any proof is left.

    Two workers at once take different proofs, chunk by chunk.
    """
    until = time.monotonic() + seconds
    while (claimed := _claim()) is not None:
        _run_next_chunk(claimed)
        if time.monotonic() >= until or _students_wait():
            return has_waiting_proofs()
    return False


def has_waiting_proofs() -> bool:
    """Return whether there is a proof that no worker has claimed."""
    return _unclaimed_proofs().exists()


def _students_wait() -> bool:
    return Submission.objects.filter(state=Submission.State.WAITING).exists()


def _unclaimed_proofs():
    """Return waiting proofs that no worker has claimed."""
    return ProblemProof.objects.filter(unclaimed(), state=ProblemProof.State.WAITING)


def _claim() -> ProblemProof | None:
    with claim_first(_unclaimed_proofs().order_by("pk"), most=1) as taken:
        ProblemProof.objects.filter(pk__in=taken).update(
            claimed_until=timezone.now() + CLAIM_TIME, tries=F("tries") + 1
        )
    rows = ProblemProof.objects.select_related("problem", "asked_by")
    return rows.filter(pk__in=taken).first()


def _run_next_chunk(proof: ProblemProof) -> None:
    """Work off the next chunk outside any transaction; after the last one, end the proof."""
    trouble = ""
    if proof.tries > MAX_TRIES:
        trouble = _(
            "The proof stopped more than once. The problem may take too long to work out: simplify"
            " it, then save it again."
        )
    else:
        try:
            part = _next_part(proof)
        except problems.FormulaError as fault:
            trouble = _("Line %(line)s: %(fault)s") % {"line": fault.line, "fault": fault}
        except problems.UnfitVariants as fault:
            trouble = str(fault)
    with transaction.atomic():
        own = ProblemProof.objects.select_for_update().filter(
            pk=proof.pk, claimed_until=proof.claimed_until, state=ProblemProof.State.WAITING
        )
        if not own.exists():
            return  # its claim ran out, or the text was saved again
        if trouble:
            own.update(state=ProblemProof.State.FAILED, trouble=trouble, claimed_until=None)
            return
        parts = [*proof.parts, part]
        changes: dict[str, Any] = {"parts": parts, "claimed_until": None, "tries": 0}
        if len(parts) >= proof.chunks:
            changes |= _ended(proof, parts)
        own.update(**changes)
        if "state" in changes:
            ProblemProof.objects.filter(problem=proof.problem_id, pk__lt=proof.pk).delete()


def _next_part(proof: ProblemProof) -> dict[str, Any]:
    problem, done = proof.problem, len(proof.parts)
    if not done:
        return {"trials": problems.try_text(proof.text, problem.key, problem.version)}
    trials = proof.parts[0]["trials"]
    family = problems.read_stored(
        problem.key, problem.version, proof.text, {"trials": trials, "sizes": []}
    )
    at_sizes = family.combinations()
    place = (done - 1) // 2
    sizes = at_sizes[place]
    if done % 2:
        return {"facts": problems.facts_at(family, sizes)}
    count = proof.variants // len(at_sizes) + (place < proof.variants % len(at_sizes))
    if not count:
        return {"sizes": sizes, "variants": 0, "draws": 0, "rejects": {}}
    # Other numbers than those by which it was tried, and each time the same.
    seeds = [f"proof {number}" for number in range(count)]
    proved = problems.prove_some(family, seeds, sizes)
    return {
        "sizes": sizes,
        "variants": proved.variants,
        "draws": proved.draws,
        "rejects": dict(proved.rejects),
    }


def _ended(proof: ProblemProof, parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the columns of a proof that has passed, and publish its version if it is to."""
    trials = parts[0]["trials"]
    facts = {"trials": trials, "sizes": [each["facts"] for each in parts if "facts" in each]}
    proved = [each for each in parts if "variants" in each]
    rejects: Counter[str] = Counter()
    for each in proved:
        rejects.update(each["rejects"])
    result = {
        "variants": sum(each["variants"] for each in proved),
        "draws": sum(each["draws"] for each in proved),
        "rejects": dict(rejects),
        "advice": problems.advise(rejects, sum(each["draws"] for each in proved)),
        "sizes": [
            {name: at[name] for name in ("options", "cells", "minutes", "distinct", "enumerated")}
            for at in facts["sizes"]
        ],
        "own_off": trials.get("own", {}),
    }
    ended: dict[str, Any] = {"result": result, "parts": [], "state": ProblemProof.State.DONE}
    if proof.publishes and (trouble := publish_proven(proof=proof, facts=facts)):
        ended |= {"state": ProblemProof.State.FAILED, "trouble": trouble}
    return ended
