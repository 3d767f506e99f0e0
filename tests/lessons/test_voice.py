"""The lessons speak as a good lecturer would: briefly, with contractions, and without habits."""

import pytest

from tests.lessons.conftest import CONTENT
from tests.lessons.shipped import shipped
from tests.lessons.voice import TICS, Prose

LESSONS = [file.stem for file in sorted((CONTENT / "lessons").glob("*.md"))]
FEWEST_CONTRACTIONS = 8  # in a thousand words
MOST_WORDS = 15  # of a sentence, on average
# What once occurred 397 times, in all of its forms: a few may have a reason.
MOST_TICS = 5


def prose_of(slug: str) -> Prose:
    """Return the running text of a lesson: its page's parts, its words and its sections."""
    lesson = shipped(slug).lesson
    parts = [text for text in lesson.fields.values() if isinstance(text, str)]
    meanings = [word["meaning"] for word in lesson.words]
    return Prose.of("\n\n".join([*parts, *meanings, *shipped(slug).bodies.values()]))


@pytest.mark.parametrize("slug", LESSONS)
def test_a_lesson_has_contractions_and_short_sentences(slug):
    prose = prose_of(slug)
    assert prose.words > 1500
    assert prose.contractions >= FEWEST_CONTRACTIONS
    assert prose.sentence_length < MOST_WORDS


@pytest.mark.parametrize("slug", LESSONS)
def test_a_lesson_has_hardly_any_habits(slug):
    prose = prose_of(slug)
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
