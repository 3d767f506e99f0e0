"""Blocks ::: choose ask first, and answer each of their choices without a script."""

import re

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
        (f"{RIGHT}- b\n\n  B.\n", "Line 7: a choice must begin with [x] if it’s right"),
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


BLOCK = re.compile(r"^(:{3,}) choose .*?^\1$", re.M | re.S)
CHOICE = re.compile(r"^- \[([ x])\] (.*(?:\n  \S.*)*)", re.M)
REASON = re.compile(r"\b(?:because|since|so that|so (?:it|they)|as (?:it|they|the))\b|, so\b")
QUESTIONS = {
    file.stem: [
        [(mark == "x", " ".join(words.split())) for mark, words in CHOICE.findall(block[0])]
        for block in BLOCK.finditer(file.read_text())
    ]
    for file in FILES
}
ALL = [question for asked in QUESTIONS.values() for question in asked]
CLOSE = 0.05


def share(found):
    return sum(found) / len(found)


CHANCE = share([1 / len(question) for question in ALL])


@pytest.mark.parametrize("pick", [min, max], ids=["shortest", "longest"])
def test_by_length_nobody_guesses_better_or_worse_than_by_chance(pick):
    guessed = [
        share([is_right for is_right, words in question if len(words) == length])
        for question in ALL
        for length in [pick(len(words) for _is_right, words in question)]
    ]
    assert share(guessed) == pytest.approx(CHANCE, abs=CLOSE)


def test_reasons_are_given_as_often_by_wrong_choices_as_by_right_ones():
    gives = {
        right: share(
            [
                bool(REASON.search(words))
                for each in ALL
                for is_right, words in each
                if is_right == right
            ]
        )
        for right in (True, False)
    }
    assert gives[True] == pytest.approx(gives[False], abs=CLOSE)


@pytest.mark.parametrize("lesson", QUESTIONS)
def test_the_right_choice_has_no_favourite_place_in_a_lesson(lesson):
    asked = QUESTIONS[lesson]
    for place in range(max(map(len, asked))):
        there = [question for question in asked if len(question) > place]
        expected = sum(1 / len(question) for question in there)
        # Within a question: five points are less than one of twelve.
        assert abs(sum(question[place][0] for question in there) - expected) < 1.5, place
