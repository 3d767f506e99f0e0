"""Rendering time grows in proportion to any text, and no text ends a process."""

import contextlib
import re
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from attention_core.grading.parse import parse_number
from lessons.authoring.files import parse_lesson
from lessons.errors import ContentError
from lessons.markdown.glossary import MarkedWord, Marker
from lessons.markdown.mathml import MAX_DEPTH, MAX_LENGTH, convert_to_mathml
from lessons.markdown.parsing import MAX_PARAGRAPH_LENGTH, fences_in, images_in, parse_tokens
from lessons.markdown.plain import plain_text
from lessons.markdown.syntax import check_syntax
from lessons.pages.pacing import section_minutes
from lessons.rendering import MAX_TEXT_LENGTH, check_markdown, render_markdown

N = 8_000
LESSON = "---\nslug: a\ntitle: a\n---\n\n## A\n\n"

PARSERS: dict[str, Callable[[str], object]] = {
    "Markdown": render_markdown,
    "fences": fences_in,
    "images": lambda text: images_in(f"](image: {text}"),
    "words": plain_text,
    "minutes": lambda text: section_minutes([text], 9),
    "syntax": check_syntax,
    "a lesson’s file": lambda text: parse_lesson(LESSON + text),
    "a lesson’s fields": lambda text: parse_lesson(f"---\ntitle: {text}\n---\n\n## A\n"),
    "a formula": convert_to_mathml,
    "glossary": lambda text: Marker([MarkedWord(("word",), "w")]).marked(parse_tokens(text)),
    "a number": parse_number,
}
UNITS = [
    "".join("`" * length + "a" for length in range(1, 120)),  # no two of them end each other
    *('"', "' ", '"a ', "`", "``a", "$", "$$", "$a ", "$$\n", "[", "![", "[[", "](", "[a](b", "]"),
    *("*", "**a ", "_a", "~~", "<", "<a", "&", "\\", "(", "{", "}", "x^{", "{(", "\\hat "),
    *("\\sqrt", ">", "> ", "- ", "1. ", "  ", "\n", "\n\n", "# ", "## a\n", "|a", "|-\n", "a\n"),
    *("```\n", ":::", "::: aside a\n", ":", "-", "1", "1e", "1/", "- -", "a: [", "[1, ", "&a "),
    *("'a': ", "\t"),
]

# Run with every parser in the fast tests: what a parser is likeliest to look back for.
QUICK = {"`", "**a ", "](", "{(", "> ", "- ", "|a"}


def seconds(parse: Callable[[str], object], text: str) -> float:
    def once() -> float:
        began = time.process_time()
        with contextlib.suppress(ContentError, ValueError):
            parse(text)
        return time.process_time() - began

    return min(once() for _ in range(2))


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize(
    "unit", [pytest.param(unit, marks=[] if unit in QUICK else pytest.mark.slow) for unit in UNITS]
)
def test_time_grows_as_the_text_does(parser: str, unit: str) -> None:
    # Each length is unique, so that no cache answers.
    parse, tag = PARSERS[parser], f"{parser}{unit}"
    text = unit * (N // len(unit))
    short = max(seconds(parse, f"{text}{hash(tag)}"), 0.02)
    if seconds(parse, f"{text * 2}{hash(tag)}") > short * 3:
        # Four times the text takes four times as long, or sixteen times if time grew as the square.
        assert seconds(parse, f"{text * 4}{hash(tag)}") < short * 9


@pytest.mark.parametrize(
    "latex",
    [
        "{" * 200_000,
        "{" * 4_000 + "}" * 4_000,
        "(" * 40,
        ")" * 40 + "(" * 40,
        "([" * 20,
        "\\langle " * 40,
        "⟨" * 40,
        "\\left(" * 1_000 + "\\right)" * 1_000,
        "\\hat " * (MAX_LENGTH // 5 - 1) + "x",
        "\\frac" * (MAX_LENGTH // 6) + "1" * (MAX_LENGTH // 6 + 1),
        "x^{" * 4_000 + "}" * 4_000,
        "\\begin{matrix}" * 500,
    ],
    ids=lambda latex: latex[:14],
)
def test_no_formula_ends_its_process(latex: str) -> None:
    """It runs in a process and a thread of its own, as on a web server."""
    script = (
        "import sys, threading\n"
        "from django.conf import settings; settings.configure(USE_I18N=False)\n"
        "from lessons.errors import ContentError\n"
        "from lessons.markdown.mathml import convert_to_mathml\n"
        "def run():\n"
        "    try: convert_to_mathml(sys.stdin.read())\n"
        "    except ContentError: pass\n"
        "thread = threading.Thread(target=run); thread.start(); thread.join()\n"
    )
    run = [sys.executable, "-c", script]
    assert subprocess.run(run, input=latex, text=True, timeout=10).returncode == 0


def test_a_formula_may_be_as_deep_as_anybody_reads() -> None:
    assert "math" in convert_to_mathml("{(" * (MAX_DEPTH // 2) + "x" + ")}" * (MAX_DEPTH // 2))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "a\n\n" + "a " * MAX_PARAGRAPH_LENGTH,
            f"line 3.*at most {MAX_PARAGRAPH_LENGTH} characters",
        ),
        ("a\n\n" * MAX_TEXT_LENGTH, f"at most {MAX_TEXT_LENGTH} characters"),
        ("a\n\n$" + "{" * 20 + "$", f"line 3.*at most {MAX_DEPTH} nested brackets"),
    ],
    ids=["paragraph", "text", "formula"],
)
def test_an_author_gets_an_error_for_too_deep_a_text(text: str, message: str) -> None:
    with pytest.raises(ContentError) as error:
        check_markdown(text)
    assert re.search(message, str(error.value), re.IGNORECASE)
