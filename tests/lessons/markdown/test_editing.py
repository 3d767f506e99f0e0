"""Edits to the running text of a Markdown leave everything else as it was typed."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.markdown.editing import edit_line, edit_running_text
from lessons.markdown.parsing import parse_tokens
from tests.growth import grows_in_proportion

PIECES = [
    *("`", "``", "$", "$$", "a", "b ", " ", "\\", "\n", "\n\n", "> ", "- ", "| ", "|--|--|\n"),
    "*",
]
PIECES += ["[a](b)", "<http://a$b>", "```\n", "    ", "# ", "$x$", "`$y`", "5", "\t"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)


def kept_in(text: str) -> list[tuple[str, str]]:
    """Return the code, formulas and fences of a text, with their kinds."""
    inline = [child for token in parse_tokens(text) for child in token.children or []]
    blocks = [token for token in parse_tokens(text) if token.type != "inline"]
    kinds = ("code_inline", "math_inline", "fence", "code_block", "math_block")
    return [(token.type, token.content) for token in [*inline, *blocks] if token.type in kinds]


@given(TEXTS)
def test_an_edit_that_changes_nothing_leaves_the_text_as_it_is(text):
    assert edit_running_text(text, lambda running: running) == text


@given(TEXTS)
def test_code_and_formulas_are_not_edited(text):
    edited = edit_running_text(text, lambda running: running.replace("a", "c").replace("5", "6"))
    assert kept_in(edited) == kept_in(text)
    assert len(edited) == len(text)


def test_code_of_a_line_may_be_shown_otherwise():
    shown = edit_line("a `` ` `` $a$ `a`", str.upper, show_code=lambda code: f"<{code}>")
    assert shown == "A <`> $a$ <a>"


@pytest.mark.parametrize(
    "unit",
    [
        *("` ", "$a ", "[", "|", "a\n\n"),
        *(
            pytest.param(unit, marks=pytest.mark.slow)
            for unit in ("`", "$", "\\", "*a", "`a` ", "5", "\n")
        ),
    ],
)
def test_editing_takes_time_in_proportion_to_the_text(unit):
    def seconds(count):
        # Paragraphs have 5,000 characters at most.
        line = (unit * 4_000)[:4_000]
        text = f"{line}\n\n" * count
        begins = time.process_time()
        edit_running_text(text, str.upper)
        return time.process_time() - begins

    assert grows_in_proportion(seconds, 4)
