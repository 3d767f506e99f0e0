"""A lesson's file and its rows convert into each other to the letter."""

import pytest

from lessons.authoring.files import format_lesson, parse_lesson
from lessons.errors import ContentError
from tests.each import each
from tests.lessons.conftest import CONTENT, SMALL

FILES = sorted((CONTENT / "lessons").glob("*.md"))


@each("file", FILES)
def test_what_ships_comes_back_to_the_letter(file):
    text = file.read_text(encoding="utf-8")
    assert format_lesson(parse_lesson(text)) == text


def test_a_file_is_read_into_fields_words_and_sections():
    lesson = parse_lesson(SMALL)
    assert lesson.fields["today"] == "First line,\nsecond line."
    assert lesson.words == ({"term": "token", "forms": "tokens", "meaning": "A piece of text."},)
    assert [section.slug for section in lesson.sections] == ["one", "second-thoughts"]
    assert lesson.sections[1].body == "The formula $x^2$."
    assert format_lesson(lesson) == SMALL


def test_a_heading_in_a_fenced_block_starts_no_section():
    lesson = parse_lesson(SMALL + "\n```text\n## Not a section\n```\n")
    assert len(lesson.sections) == 2
    assert "## Not a section" in lesson.sections[1].body


def test_a_lesson_without_sections_comes_back_too():
    text = SMALL.partition("\n## ")[0]
    assert parse_lesson(text).sections == ()
    assert format_lesson(parse_lesson(text)) == text


def test_a_field_without_a_value_is_left_out():
    text = SMALL.replace("tagline: So small.", "tagline:").replace("forms: tokens", "forms:")
    lesson = parse_lesson(text)
    assert "tagline" not in lesson.fields
    assert lesson.words == ({"term": "token", "meaning": "A piece of text."},)


def test_other_line_ends_make_no_difference():
    assert parse_lesson(SMALL.replace("\n", "\r\n")) == parse_lesson(SMALL)


FORM = "lines between the --- must have the form name: value"
WORDS = "words must be a list of term, forms and meaning"
NAMES = "images must be a list of name and alt"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("---\nslug", "slug", "Line 1: a lesson must begin with its fields"),
        ("minutes: 5", "minutes: [5", "Line 7, column 6: this isn’t YAML"),
        ("## First {#one}", "Before any section", "Line 18: all text must be in a section"),
        ("## First {#one}", "##", "Line 18: a section needs a title"),
        ("A token,", "A \0,", "Line 20: this isn’t a text file"),
        ("tagline: So", "tagline:\n- So", "Line 4, column 1: tagline must be text"),
        ("minutes: 5", "minutes: .inf", "Line 6, column 1: minutes must be text, a number"),
        ("minutes: 5", "5: minutes", f"Line 2: {FORM}"),
        ("forms: tokens", "forms: [tokens]", f"Line 2: {WORDS}"),
        ("words:", "words: 5\nimages:", f"Line 2: {WORDS}"),
        ("words:", "images: {name: a, alt: b}\nwords:", f"Line 2: {NAMES}"),
    ],
)
def test_the_line_of_a_mistake_counts_in_the_file(old, new, message):
    with pytest.raises(ContentError) as error:
        parse_lesson(SMALL.replace(old, new))
    assert str(error.value).startswith(message)
