"""Unread marks are reported on save, at their line; pages show the text all the same.

The lessons that ship have none, as every test that loads content/ confirms.
"""

import pytest

from lessons import widgets
from lessons.errors import ContentError
from lessons.rendering import check_markdown, render_markdown
from tests.each import each

UNCLOSED = "the block that begins with ::: isn’t closed by a line of :::"
ENDLESS = "the formula that begins with $$ isn’t closed by $$ before the next empty line"
MISPLACED = "$$ doesn’t begin a formula here: "


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a\n\n::: nope Title\nb\n:::",
            "Line 3: there’s no ::: block “nope”; the blocks are: unfold,",
        ),
        ("a\n::: nope\nb", "Line 2: there’s no ::: block “nope”"),
        ("- a\n- ::: nope", "Line 2: there’s no ::: block “nope”"),
        (":::nope Title\nb\n:::", "Line 1: there’s no ::: block “nope”"),
        ("::: unfold A\n\n::: nope\nb\n:::\n:::", "Line 3: there’s no ::: block “nope”"),
        ("a\n\n:::\n\nb", "Line 3: ::: ends a block, but none is open here"),
        ("::: unfold A\nb\n:::\n\n:::", "Line 5: ::: ends a block, but none is open here"),
        ("::: unfold A", f"Line 1: {UNCLOSED}"),
        ("a\n\n::: unfold A\nb\n\nc\n\n", f"Line 3: {UNCLOSED}"),
        ("::: unfold A\nb\n    :::", f"Line 1: {UNCLOSED}"),
        ("::: unfold A\nb\n::: aside B", f"Line 1: {UNCLOSED}"),
        (":::: unfold A\nb\n:::", "Line 1: the block that begins with :::: isn’t closed by"),
        (":::: unfold A\n\n::: aside B\nb\n\n::::", f"Line 3: {UNCLOSED}"),
        ("a\n\n$$\nx\n\ny\n$$", f"Line 3: {ENDLESS}"),
        ("$$\nx", f"Line 1: {ENDLESS}"),
        ("$$ x\n\nOf $y$, and\n\n$$\nz\n$$", f"Line 1: {ENDLESS}"),
        ("::: unfold A\nb\n\n$$\nx\n:::", f"Line 4: {ENDLESS}"),
        ("a\n\n- b\n\n  $$\n  x", f"Line 5: {ENDLESS}"),
        ("a\n$$\nx\n$$", f"Line 2: {MISPLACED}"),
        ("a\nb $$x$$ c", f"Line 2: {MISPLACED}"),
        ("$$x$$.", f"Line 1: {MISPLACED}"),
        ("| a |\n|---|\n| $$x$$ |", f"Line 3: {MISPLACED}"),
    ],
)
def test_a_mark_that_nothing_reads_is_reported_with_its_line(text, message):
    assert complaint(text).startswith(message)


@pytest.mark.parametrize(
    ("typed", "meant"), [("unfolded", "unfold"), ("Predict", "predict"), ("a-side", "aside")]
)
def test_an_unknown_block_is_reported_with_the_one_that_was_meant(typed, meant):
    assert complaint(f"::: {typed} Title\na\n:::").endswith(f"; did you mean “{meant}”?")


@pytest.mark.parametrize("end", ["", "\n:::"])
def test_a_block_open_at_the_start_of_another_is_reported_with_both_remedies(end):
    error = complaint(f"a\n\n::: unfold A\nb\n\n::: aside B\nc\n:::\n{end}")
    assert error == (
        "Line 3: the block that begins with ::: is still open where another begins on line 6:"
        " close it before that with a line of :::; or, if the other belongs inside it,"
        " begin and end this one with ::::"
    )


def test_of_several_marks_the_first_is_reported():
    assert complaint("a $$x$$ b\n\n::: nope\n\n$$").startswith("Line 1: ")
    assert complaint("::: unfold A\n\n$$").startswith("Line 1: ")


@each(
    "text",
    [
        ":::: unfold A\n\n::: aside B\nb\n:::\n\n::::\n\n::: predict C\nc\n:::",
        "  ::: unfold A\n  b\n  :::  \n",
        "::: unfold A\r\nb\r\n:::",
        "::: unfold A\rb\r:::\rc",
        "a\n\n$$\nx\n$$\nb\n\n$$y$$\n\n$$ z\n$$  \n\n- c\n\n  $$\n  x\n  $$",
        "A $x$$y$ b, \\$\\$ and `$$`, `::: nope`, [c](https://example.org/$$)",
        "\\::: nope\n\nstd::vector :: a",
        "    ::: nope\n    $$",
        "```text\n::: nope\n\n$$\n```",
        "",
        *map(widgets.example, widgets.names()),
    ],
)
def test_marks_that_are_read_or_meant_as_typed_are_not_reported(text):
    check_markdown(text)


@pytest.mark.parametrize("text", ["::: nope\nb\n:::", "::: unfold A\nb", "$$\nb"])
def test_a_page_outlives_it(text):
    assert "b" in render_markdown(text)


def complaint(text):
    with pytest.raises(ContentError) as error:
        check_markdown(text)
    return str(error.value)
