"""Blocks ::: choose ask first, and answer each of their choices without a script."""

import re
from collections import Counter

import pytest

from lessons.errors import ContentError
from lessons.markdown.glossary import MarkedWord
from lessons.markdown.plain import plain_text
from lessons.rendering import check_markdown, render_markdown
from tests.lessons.conftest import CONTENT
from tests.world import found_in

ASKED = """\
::: choose What is $1 + 1$?
- [ ] Three tokens

  Count again: $e^x$ is no token.
- [x] Two

  Yes.

  $$
  1 + 1 = 2
  $$
:::
"""
FILES = sorted((CONTENT / "lessons").glob("*.md"))
TOKEN = MarkedWord(("token", "tokens"), "meaning-token")


def choices(html):
    return re.findall(r"<details name=[^>]*><summary>(.*?)</summary>(.*?)</details>", html, re.S)


def test_each_choice_unfolds_its_own_answer():
    (three, count), (two, yes) = choices(render_markdown(ASKED))
    assert "Three tokens" in three
    assert "Count again" in count
    assert "verdict-wrong" in count
    assert "Two" in two
    assert "verdict-right" in yes
    assert '<div class="formula">' in yes


def test_which_is_right_is_not_seen_before_it_is_chosen():
    html = render_markdown(ASKED)
    assert found_in(html, "[x]", "[ ]") == []
    assert len({re.sub("Three tokens|Two", "", text) for text, _answer in choices(html)}) == 1


def test_the_choices_of_one_question_are_one_group_for_the_browser():
    names = re.findall(r'<details name="(.+?)">', render_markdown(ASKED))
    assert (len(names), len(set(names))) == (2, 1)


def test_what_follows_the_choices_stays_folded_until_one_is_open_or_it_is_asked_for():
    html = render_markdown(ASKED.removesuffix(":::\n") + "\nSo there are two.\n:::\n")
    choose, answer = html.split('<div class="choose-answer">')
    assert "So there are two." in answer
    assert "Show me</summary></details></div>" in choose
    assert len(set(re.findall(r'<details.*? name="(.+?)">', choose))) == 1
    assert "Show me" not in render_markdown(ASKED)


def test_no_word_is_a_button_within_what_one_presses():
    (three, count), _right = choices(render_markdown(ASKED, words=[TOKEN]))
    assert "<button" not in three
    assert "<button" in count


def test_a_search_finds_its_words_without_the_signs():
    assert "Three tokens. Count again" in plain_text(ASKED)
    assert "Two. Yes." in plain_text(ASKED)


def test_a_list_outside_a_block_keeps_its_signs():
    assert "[x] a" in render_markdown(f"{ASKED}\n- [x] a\n")


def test_it_may_stand_in_another_block():
    check_markdown(f":::: unfold A\n\n{ASKED}\n::::")


def test_nothing_in_it_runs():
    html = render_markdown(ASKED.replace("Two", "<img src=x onerror=a()>").replace("Yes", "<b>"))
    assert found_in(html, "<img", "<b>") == []


RIGHT, WRONG = "- [x] a\n\n  A.\n", "- [ ] b\n\n  B.\n"
LIST = "a ::: choose block must begin with one list of 2 to 4 choices, with the feedback"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("Two.\n", f"Line 3: {LIST}"),
        ("", f"Line 3: {LIST}"),
        (RIGHT, f"Line 3: {LIST}"),
        (RIGHT + 4 * WRONG, f"Line 3: {LIST}"),
        (f"{RIGHT}\nB.\n\n{WRONG}", f"Line 3: {LIST}"),
        (f"And first:\n\n{RIGHT}{WRONG}", f"Line 3: {LIST}"),
        (f"{RIGHT}- b\n\n  B.\n", "Line 7: a choice must begin with [x] if it is right"),
        (f"{RIGHT}- [ ] b\n", "Line 7: feedback on a choice goes below it"),
        (f"{RIGHT}-\n", "Line 7: a choice must begin with [x]"),
        (WRONG + WRONG, "Line 3: exactly one choice must be right and begin with [x]"),
        (RIGHT + RIGHT, "Line 3: exactly one choice must be right and begin with [x]"),
    ],
)
def test_errors_are_shown_with_their_line(body, message):
    with pytest.raises(ContentError) as error:
        render_markdown(f"a\n\n::: choose What?\n{body}:::\n")
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_choice_that_ships_has_a_name_that_can_be_read_out(file):
    """A choice with nothing but a formula has none."""
    texts = re.findall(r"^- \[[ x]\] (.*)$", file.read_text(), re.M)
    assert [text for text in texts if not re.search(r"\w", re.sub(r"\$[^$]*\$", "", text))] == []


def test_what_is_right_is_given_away_neither_by_its_place_nor_by_its_length():
    blocks = [
        re.findall(r"^- \[([ x])\] (.*)$", block, re.M)
        for file in FILES
        for block in re.findall(r"^::: choose .*?^:::$", file.read_text(), re.M | re.S)
    ]
    assert len(blocks) > 20
    places = Counter([mark for mark, _text in block].index("x") for block in blocks)
    assert max(places.values()) < len(blocks) / 2, places
    longest = [max(block, key=lambda each: len(each[1]))[0] for block in blocks]
    assert longest.count("x") < len(blocks) / 2
