"""Robots' answers contain exactly the mistakes that the robots are set to make."""

from attention_core import draw, mark
from attention_core.grading.verdicts import MISTAKE, RIGHT
from attention_core.proving import known_mistakes
from attention_core.robots import Robot, answer_problem
from tests.attention_core.drawn import every_family, problem_of

CAREFUL, CLUELESS = 9, -9


def answered(problem, ability=CAREFUL, *misconceptions, seed=1):
    return answer_problem(Robot(ability, frozenset(misconceptions), pace=1), problem, seed).answers


@every_family
def test_whoever_is_sure_of_everything_is_right(key):
    problem = problem_of(key, 3)
    assert mark(problem, answered(problem)).verdict == RIGHT


@every_family
def test_whoever_has_a_misconception_is_marked_for_it_where_it_is_made_first(key):
    problem = problem_of(key, 3)
    known = {
        mistake.key for step in problem.family.steps for mistake, _ in known_mistakes(problem, step)
    }
    met = 0
    for mistake in known:
        worked = answer_problem(Robot(CAREFUL, frozenset({mistake}), pace=1), problem, seed=1)
        for place in list(worked.made)[:1]:
            (step,) = (each for each in mark(problem, worked.answers).steps if each.key == place)
            assert (step.verdict, step.mistake) == (MISTAKE, mistake)
            met += 1
    assert met > len(known) / 2


@every_family
def test_whoever_knows_nothing_types_what_can_be_marked(key):
    problem = problem_of(key, 3)
    verdicts = [mark(problem, answered(problem, CLUELESS, seed=seed)).verdict for seed in range(20)]
    assert verdicts.count(RIGHT) < 10


def test_the_same_seed_gives_the_same_answer():
    problem = draw("attention", seed=3)
    once, again = (answered(problem, 0, "unscaled", seed=5) for _ in range(2))
    assert once == again
    assert any(answered(problem, 0, "unscaled", seed=seed) != once for seed in range(10))
