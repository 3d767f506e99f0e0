"""The interface to the core: statements, answers and marks are JSON, as rows store it."""

import json

from quizzes import problems


def variant(family):
    return problems.draw_variant(problems.kind_of(family, {}), "a seed")


def goes_on(family, **raw):
    """Return each step's continuation of the answer's own numbers in the review."""
    worked = problems.worked_solution(variant(family), raw)
    return {key: step.continued for key, step in worked.steps.items()}


def test_of_a_family_that_is_no_more_only_the_key_is_known():
    assert not problems.is_family("gone")
    assert problems.family_title("gone") == "gone"
    assert problems.family_summary("gone") == ""


# The review


def test_own_numbers_go_on_where_they_lead_elsewhere():
    own = goes_on("dot_score", score="100")
    assert own["score"] is None
    assert own["scaled"] > 20
    right = variant("dot_score")["solution"]
    assert set(goes_on("dot_score", score=f"{right['score']:.3f}").values()) == {None}
    unanswered = problems.worked_solution(variant("dot_score"))
    assert all(step.continued is None for step in unanswered.steps.values())


def test_where_own_numbers_lead_to_no_number_nothing_is_said():
    """No deviation follows from a variance below 0."""
    own = goes_on("score_variance", variance="-4")
    assert own["deviation"] is None
    json.dumps(own, allow_nan=False)
