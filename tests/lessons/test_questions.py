"""The questions and quizzes that ship: fit to be asked, and in reach of the time they allow."""

from collections import Counter

import pytest
import yaml

from attention_core import draw
from lessons.authoring.files import parse_lesson
from lessons.rendering import render_markdown
from tests.lessons.conftest import CONTENT

QUESTIONS = [
    question
    for file in sorted((CONTENT / "questions").glob("*.yaml"))
    for question in yaml.safe_load(file.read_text(encoding="utf-8"))["questions"]
]
QUIZZES = [
    yaml.safe_load(file.read_text(encoding="utf-8"))
    for file in sorted((CONTENT / "quizzes").glob("*.yaml"))
]
SECTIONS = {
    (lesson.fields["slug"], section.slug)
    for lesson in (parse_lesson(f.read_text()) for f in (CONTENT / "lessons").glob("*.md"))
    for section in lesson.sections
}


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["key"])
def test_a_question_is_fit_to_be_asked(question):
    choices = question["choices"]
    assert len(choices) >= 4
    assert sum(choice["correct"] for choice in choices) == 1
    assert len({choice["key"] for choice in choices}) == len(choices)
    assert (question["lesson"], question["section"]) in SECTIONS
    for text in (question["prompt"], question["explanation"]):
        assert render_markdown(text)
    for choice in choices:
        assert render_markdown(choice["text"])
        assert render_markdown(choice["feedback"])


def test_keys_are_unique():
    assert max(Counter(question["key"] for question in QUESTIONS).values()) == 1


def test_the_right_choice_is_not_given_away_by_its_length():
    longest = [
        max(question["choices"], key=lambda choice: len(choice["text"]))["correct"]
        for question in QUESTIONS
    ]
    assert sum(longest) < len(longest) / 2


@pytest.mark.parametrize("quiz", QUIZZES, ids=lambda quiz: quiz["slug"])
def test_a_quiz_calculates_enough_and_has_questions_to_draw_from(quiz):
    numeric = [slot for slot in quiz["slots"] if "family" in slot]
    topics = [slot["topic"] for slot in quiz["slots"] if "topic" in slot]
    problems = [draw(slot["family"], seed=1, **slot.get("options", {})) for slot in numeric]
    assert len(quiz["slots"]) == 15
    assert len(numeric) >= 4
    # Of the 23 minutes of a typical student, who takes 1.4 times as long.
    assert sum(problem.minutes for problem in problems) * 1.4 > 9
    ready = Counter(question["topic"] for question in QUESTIONS)
    for topic, count in Counter(topics).items():
        assert ready[topic] > count, f"{topic} has nothing to draw from"
