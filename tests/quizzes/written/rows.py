"""Published problems for tests, without waiting for workers."""

from typing import Any

from django.utils import timezone

from attention_core import formulas
from quizzes import problems
from quizzes.models import WrittenProblem, WrittenProblemShare
from quizzes.written.loading import forget_newest
from quizzes.written.services import heads_of

# A score, wrong in its first version, and what follows from it.
SCORES = """title: Scores of a query
summary: The scores of one query, and their softmax.
sizes: T(tokens) = 3, 2; d_k(width) = 4, 2
q: tenths(d_k) "$q$, the query"
K: tenths(T, d_k) "$K$, the keys"
keep max(abs(scores)) <= 4
statement: Work out the scores of the query, then their softmax.

scores = K @ q / sqrt(d_k)
    label: The scores $s$
weights = softmax(scores)
    label: The weights $a$
"""


def facts_of(text: str, key: str, version: int = 1) -> dict[str, Any]:
    """Return what a proof works out of a text."""
    trials = formulas.try_text(text, key, version=version)
    family = problems.read_stored(key, version, text, {"trials": trials, "sizes": []})
    return {
        "trials": trials,
        "sizes": [problems.facts_at(family, sizes) for sizes in family.combinations()],
    }


def publish_row(
    text: str = SCORES, key: str = "own_scores", version: int = 1, *, owner: Any = None,
    site: bool = False, **columns: Any,
) -> WrittenProblem:  # fmt: skip
    """Return a published version, the newest of its key; `site` shares it with every instructor."""
    WrittenProblem.every.filter(key=key).update(newest=False)
    row = WrittenProblem.every.create(
        key=key, version=version, text=text, facts=facts_of(text, key, version),
        published_at=timezone.now(), published_by=owner, **heads_of(text) | columns,
    )  # fmt: skip
    shares = WrittenProblemShare.objects
    if owner:
        shares.get_or_create(key=key, user=owner, access="own")
    if site:
        shares.get_or_create(key=key, user=None, access="read")
    forget_newest()
    return row
