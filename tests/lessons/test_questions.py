"""The questions and quizzes that ship: fit to be asked, and feasible in the time they allow."""

import re
from collections import Counter
from collections.abc import Callable, Sequence

import pytest

from attention_core import draw
from lessons.rendering import render_markdown
from quizzes.items.tells import ABSOLUTES, HEDGES, Option, find_giveaways
from tests.each import each
from tests.lessons.bayes import chance_by_words, telling_words
from tests.lessons.conftest import CONTENT
from tests.lessons.shipped import in_yaml, shipped

FILES = {
    file.stem: in_yaml(file)["questions"] for file in sorted((CONTENT / "questions").glob("*.yaml"))
}
QUESTIONS = [question for questions in FILES.values() for question in questions]
QUIZZES = [in_yaml(file) for file in sorted((CONTENT / "quizzes").glob("*.yaml"))]
SECTIONS = {
    (slug, section)
    for slug in (file.stem for file in (CONTENT / "lessons").glob("*.md"))
    for section in shipped(slug).bodies
}
# Questions seen together: a file by its author, all that a quiz may ask by a student.
POOLS = FILES | {
    f"quiz {quiz['slug']}": [
        question
        for question in QUESTIONS
        if question["topic"] in {slot.get("topic") for slot in quiz["slots"]}
    ]
    for quiz in QUIZZES
}
# What a lecturer would keep short: these topics stand beside the mechanism.
ASIDE = ("attention-is-not-consciousness", "marrs-levels", "parallels-in-the-brain")

Strategy = Callable[[Option, Sequence[Option]], bool]
STRATEGIES: dict[str, Strategy] = {
    "the longest": lambda one, others: one.length == max(each.length for each in others),
    "the shortest": lambda one, others: one.length == min(each.length for each in others),
    "what hedges": lambda one, others: bool(one.words & HEDGES),
    "what does not hedge": lambda one, others: not one.words & HEDGES,
    "what is absolute": lambda one, others: bool(one.words & ABSOLUTES),
    "what is not absolute": lambda one, others: not one.words & ABSOLUTES,
}


def options(question) -> list[Option]:
    return [Option(choice["text"], choice["correct"]) for choice in question["choices"]]


def chance(choices: Sequence[Option], strategy: Strategy) -> float:
    """Return the chance to be right when guessing among the options that the strategy leaves."""
    left = [each for each in choices if strategy(each, choices)] or choices
    return sum(each.correct for each in left) / len(left)


@each("key, question", [(question["key"], question) for question in QUESTIONS])
def test_a_question_is_fit_to_be_asked(key, question):
    choices = question["choices"]
    assert len(choices) >= 4
    assert sum(choice["correct"] for choice in choices) == 1
    assert len({choice["key"] for choice in choices}) == len(choices)
    assert (question["lesson"], question["section"]) in SECTIONS
    texts = [choice[name] for choice in choices for name in ("text", "feedback")]
    assert all(map(render_markdown, [question["prompt"], question["explanation"], *texts]))


def test_keys_are_unique():
    assert max(Counter(question["key"] for question in QUESTIONS).values()) == 1


def test_a_topic_has_questions_for_several_attempts_and_two_kept_for_exams():
    ready, reserved = Counter(), Counter()
    for question in QUESTIONS:
        ready[question["topic"]] += 1
        reserved[question["topic"]] += question.get("reserved", False)
    assert [topic for topic, count in ready.items() if count < 6] == []
    assert [topic for topic in ready if not 2 <= reserved[topic] <= ready[topic] - 4] == []


def test_a_question_says_what_it_asks_for():
    kinds = ("recall", "reasoning", "computing")
    assert [each["key"] for each in QUESTIONS if each.get("asks") not in kinds] == []


def test_a_fifth_of_the_questions_at_most_asks_for_recall():
    recall = {
        file: [each["key"] for each in questions if each.get("asks") == "recall"]
        for file, questions in FILES.items()
    }
    count = sum(map(len, recall.values()))
    lines = [
        f"{file} ({len(keys)} of {len(FILES[file])}): {', '.join(keys)}"
        for file, keys in recall.items()
    ]
    assert count <= len(QUESTIONS) / 5, "\n".join(
        [f"{count} of {len(QUESTIONS)} ask for recall", *lines]
    )


def test_few_questions_are_about_what_stands_beside_the_mechanism():
    counts = Counter(question["topic"] for question in QUESTIONS)
    assert set(ASIDE) <= set(counts)
    assert sum(counts[topic] for topic in ASIDE) <= 18


def test_whoever_goes_by_single_words_does_hardly_better_than_by_chance():
    bank = [options(question) for question in QUESTIONS]
    chance = chance_by_words(bank)
    lines = [
        f"{chance:.1%} are right by words that the other questions taught",
        *telling_words(bank),
    ]
    assert chance < 0.3, "\n".join(lines)


def test_the_words_of_one_question_give_away_others_but_not_itself():
    gives_away, plain = [
        [Option(text, True), *(Option("x", False) for _ in range(3))] for text in ("so x", "x")
    ]
    assert chance_by_words([gives_away, gives_away]) == 1
    assert chance_by_words([plain, plain]) == 0.25


def test_no_question_gives_its_right_choice_away():
    clues = {question["key"]: find_giveaways(options(question)) for question in QUESTIONS}
    assert {key: found for key, found in clues.items() if found} == {}


@each("strategy", STRATEGIES)
@each("pool", POOLS)
def test_whoever_goes_by_looks_does_no_better_than_by_chance(strategy, pool):
    chances = [chance(options(question), STRATEGIES[strategy]) for question in POOLS[pool]]
    assert sum(chances) / len(chances) < 0.3


@each("file", FILES)
def test_the_right_choice_has_no_favourite_position(file):
    positions = Counter(
        [choice["correct"] for choice in question["choices"]].index(True)
        for question in FILES[file]
    )
    assert max(positions.values()) - min(positions[i] for i in range(4)) <= 1


def test_every_feedback_says_why():
    feedbacks = [choice["feedback"] for question in QUESTIONS for choice in question["choices"]]
    empty = re.compile(r"(Right|Correct|Yes|Exactly|Wrong)[.,:!]")
    assert [text for text in feedbacks if empty.match(text)] == []
    assert [text for text in feedbacks if len(re.findall(r"\w+", text)) < 4] == []


def test_nothing_is_asked_twice():
    assert max(Counter(question["prompt"] for question in QUESTIONS).values()) == 1


@pytest.mark.parametrize("quiz", QUIZZES, ids=lambda quiz: quiz["slug"])
def test_a_quiz_calculates_enough_and_has_questions_to_draw_from(quiz):
    numeric = [slot for slot in quiz["slots"] if "family" in slot]
    topics = [slot["topic"] for slot in quiz["slots"] if "topic" in slot]
    problems = [draw(slot["family"], seed=1, **slot.get("options", {})) for slot in numeric]
    assert len(quiz["slots"]) == 15
    assert len(numeric) >= 4
    # A typical student has 23 minutes and takes 1.4 times as long.
    assert sum(problem.minutes for problem in problems) * 1.4 > 9
    ready = Counter(question["topic"] for question in QUESTIONS)
    for topic, count in Counter(topics).items():
        assert ready[topic] > count, f"{topic} has nothing to draw from"
