"""Published problems for tests, without waiting for workers."""

from typing import Any

from quizzes.models import WrittenProblem, WrittenProblemShare
from quizzes.written.services.writing import heads_of
from tests.quizzes.written.published import publish

# A score, wrong in its first version, and what follows from it.
SCORES = """title: Scores of a query
summary: The scores of one query, and their softmax.
sizes: T(tokens) = 3, 2; d_k(width) = 4, 2
q: tenths(d_k) "$q$, the query"
K: tenths(T, d_k) "$K$, the keys"
keep max(abs(scores)) <= 1
statement: Work out the scores of the query, then their softmax.

scores = K @ q / sqrt(d_k)
    label: The scores $s$
weights = softmax(scores)
    label: The weights $a$
"""


def publish_row(
    text: str = SCORES, key: str = "own_scores", version: int = 1, *, owner: Any = None,
    site: bool = False, **columns: Any,
) -> WrittenProblem:  # fmt: skip
    """Return a published version, the newest of its key; `site` shares it with every instructor."""
    columns = {"published_by": owner} | heads_of(text) | columns
    row = publish(key, text, version, **columns)
    shares = WrittenProblemShare.objects
    if owner:
        shares.get_or_create(key=key, user=owner, access="own")
    if site:
        shares.get_or_create(key=key, user=None, access="read")
    return row
