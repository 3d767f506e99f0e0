"""Lessons, questions and problems speak as a good lecturer would: briefly, without habits."""

from functools import partial

import pytest

from attention_core.catalogue import families
from tests.lessons.conftest import CONTENT
from tests.lessons.shipped import in_yaml, shipped
from tests.lessons.voice import TICS, Prose

LESSONS = [file.stem for file in sorted((CONTENT / "lessons").glob("*.md"))]
FEWEST_CONTRACTIONS = 8  # in a thousand words
MOST_WORDS = 15  # of a sentence, on average
# What once occurred some fifty times in each, in all of its forms: a few may have a reason.
MOST_TICS = 5


def texts_of_lesson(slug: str) -> list[str]:
    """Return the running text of a lesson: its page's parts, its words and its sections."""
    lesson = shipped(slug).lesson
    parts = [text for text in lesson.fields.values() if isinstance(text, str)]
    meanings = [word["meaning"] for word in lesson.words]
    return [*parts, *meanings, *shipped(slug).bodies.values()]


def texts_of_questions(file: str) -> list[str]:
    """Return the texts of a file of questions."""
    questions = in_yaml(CONTENT / "questions" / f"{file}.yaml")["questions"]
    return [
        text
        for question in questions
        for each in (question, *question["choices"])
        for name in ("prompt", "explanation", "text", "feedback")
        if (text := each.get(name))
    ]


def texts_of_families() -> list[str]:
    """Return what the problems of all families say, apart from their formulas."""
    texts = []
    for family in families().values():
        texts += [family.statement, *(given.text for given in family.givens)]
        for step in family.steps:
            texts += [step.how, step.nudge, step.wrong_choice]
            texts += [mistake.feedback for mistake in step.mistakes]
    return [text for text in texts if text]


PROSE = {
    **{slug: partial(texts_of_lesson, slug) for slug in LESSONS},
    **{
        file.stem: partial(texts_of_questions, file.stem)
        for file in sorted((CONTENT / "questions").glob("*.yaml"))
    },
    "families": texts_of_families,
}


def prose_of(name: str) -> Prose:
    return Prose.of("\n\n".join(PROSE[name]()))


@pytest.mark.parametrize("name", PROSE)
def test_texts_have_contractions_and_short_sentences(name):
    prose = prose_of(name)
    assert prose.words > 1000
    assert prose.contractions >= FEWEST_CONTRACTIONS
    assert prose.sentence_length < MOST_WORDS


@pytest.mark.parametrize("name", PROSE)
def test_texts_have_hardly_any_habits(name):
    prose = prose_of(name)
    found = [f"write {name}: {place}" for name in TICS for place in prose.places(name)]
    assert len(found) <= MOST_TICS, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It is short, as it has three rows.", 1),
        ("It's known, as you saw, since 2019.", 0),
        ("What it brings stands alone.", 3),
        ("What does it bring?", 0),
        ("```python\nsince = alone\n```\n\n| since | alone |", 0),
        ("That is why.", 1),
        ("Somebody hands over the company.", 3),
    ],
)
def test_habits_are_found_in_running_text_alone(text, count):
    assert sum(Prose.of(text).tics.values()) == count


def test_contractions_are_counted_and_possessives_are_not():
    prose = Prose.of("It’s the model's. They don't. We'll see the head's row.")
    assert prose.contractions == 1000 * 3 / 10
