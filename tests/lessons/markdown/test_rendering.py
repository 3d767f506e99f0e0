"""Markdown becomes a reader's HTML, and authors get errors with their place."""

import re

import pytest
from django.utils.translation import override

from lessons.errors import ContentError
from lessons.markdown.glossary import MarkedWord
from lessons.markdown.inline import render_inline
from lessons.rendering import render_markdown
from tests.world import missing_in

TOKEN = MarkedWord(("token", "tokens"), "meaning-token")
VECTOR = MarkedWord(("vector",), "meaning-vector")


def test_formulas_become_mathml_in_the_line_and_on_their_own():
    html = render_markdown("The $d_k$.\n\n$$\nx^2\n$$")
    assert "<msub><mi>d</mi><mi>k</mi></msub>" in html
    assert '<div class="formula"><math display="block"><msup>' in html


def test_prices_are_no_formulas():
    assert render_markdown("From $5 to $7 each") == "<p>From $5 to $7 each</p>\n"


@pytest.mark.parametrize("end", [" is 3", " and $y$, in 2025", " and a \\"])
def test_how_a_text_ends_does_not_change_how_it_begins(end):
    assert render_inline(f"$x${end}")[:6] == render_inline(f"$x${end}.")[:6]


def test_a_text_may_begin_with_a_formula_and_end_with_a_digit():
    assert render_inline("$x$ is 3") == "<math><mi>x</mi></math> is 3"
    assert render_inline("$5 and then $7") == "$5 and then $7"


def test_styles_of_formulas_become_classes():
    html = render_markdown("$$\n\\begin{aligned} a &= b \\\\ &= c \\end{aligned}\n$$")
    assert " style=" not in html
    assert 'class="m-right m-flush-right"' in html


def test_a_formula_keeps_its_full_stop():
    html = render_markdown("It is $x$. And $y$ too")
    assert '<span class="kept"><math><mi>x</mi></math>.</span> And <math>' in html


def test_a_bold_formula_or_word_keeps_its_full_stop_too():
    html = render_markdown("It is **$x$**, a *token*.", words=[TOKEN])
    assert '<strong><span class="kept"><math><mi>x</mi></math>,</span></strong> a' in html
    assert "token</button>.</span></em></p>" in html


def test_a_formula_breaks_before_its_outermost_signs():
    html = render_markdown("$$\ny = (1 + 2) \\cdot \\frac{1 + 2}{3} + (-1) \\approx -2\n$$")
    parts = re.findall(r"<math[^>]*>(.*?)</math>", html)
    assert [re.sub("<[^>]+>", "", part) for part in parts] == ["y", "=(1+2)⋅1+23", "+(−1)", "≈−2"]
    assert "tabindex" not in html


def test_a_long_formula_can_be_scrolled_by_keyboard():
    assert 'tabindex="0"' in render_markdown("$$\n" + "x_1 " * 30 + "\n$$")
    assert "tabindex" not in render_markdown("$$\nx\n$$")


def test_quotes_are_set_as_a_printer_would():
    assert render_markdown('"It\'s"') == "<p>“It’s”</p>\n"


def test_tables_align_without_styles_and_have_no_empty_heading():
    html = render_markdown("| | a |\n|---|--:|\n| b | 1 |")
    assert "<td></td>" in html
    assert '<th class="right">a</th>' in html
    assert '<td class="right">1</td>' in html
    assert " style=" not in html


def test_the_first_column_of_a_table_names_its_rows_where_nothing_stands_above_it():
    html = render_markdown("| | a |\n|---|--:|\n| b | 1 |\n| c | 2 |")
    assert html.count('<th scope="row">') == 2
    assert "<th scope" not in render_markdown("| x | a |\n|---|--:|\n| b | 1 |")


def test_a_lesson_is_linked_by_its_slug():
    html = render_markdown("[See](lesson:small#one)")
    assert 'href="/lessons/small/#one"' in html


@pytest.mark.parametrize("kind", ["unfold", "predict"])
def test_blocks_fold_and_hold_markdown(kind):
    html = render_markdown(f"::: {kind} Why $x$ so?\nBecause **so**.\n:::")
    assert "<details" in html
    assert "Why <math><mi>x</mi></math> so?" in html
    assert "<strong>so</strong>" in html


class TestWords:
    def test_only_the_first_occurrence_is_marked(self):
        html = render_markdown("A token. Tokens again, a token.", words=[TOKEN])
        assert html.count("popovertarget") == 1
        assert 'popovertarget="meaning-token">token</button>.</span> Tokens' in html

    def test_other_forms_and_cases_count(self):
        assert ">Tokens</button>" in render_markdown("Tokens differ.", words=[TOKEN])

    def test_parts_of_words_do_not(self):
        assert "button" not in render_markdown("tokenised betokens", words=[TOKEN])

    def test_headings_links_code_and_formulas_are_left_alone(self):
        text = "### A token\n\n[token](/x) `token` $\\text{token}$"
        assert "button" not in render_markdown(text, words=[TOKEN])

    def test_several_words_in_one_line(self):
        html = render_markdown("A vector of a **token** here", words=[TOKEN, VECTOR])
        assert html.index("meaning-vector") < html.index("meaning-token")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fine\n\nbad $\\foo$ here", 'Line 3: the formula “\\foo”: unknown command "\\foo"'),
        ("one\ntwo $x$\nthree $\\frac{1$", "Line 3: the formula “\\frac{1”"),
        ("$$\na\n\\foo\n$$", "Line 3: "),
        ("- a\n- $\\foo$", "Line 2: "),
        ("::: unfold Title\n\nok\n\n$\\foo$\n:::", "Line 5: "),
        ("a\n\n::: unfold $\\foo$\nb\n:::", "Line 3: "),
        ("::: unfold\nb\n:::", "Line 1: a ::: unfold block needs a title"),
        ("$\\color{red}{x}$", "Line 1: the formula “\\color{red}{x}” uses a style"),
        ("a\n\n## Big", "Line 3: headings inside a text must start with ###"),
        ("```heatmatrix\n```", "Line 1: there’s no widget “heatmatrix”"),
        ("a\n```heat_matrix\ncaption: x\nvalues: [1\n```", "Line 5, column 1: this isn’t YAML"),
        ("```heat_matrix\ncaption: x\n```", "Line 1: missing: values"),
        (
            "- a\n  ```heat_matrix\n  caption: x\n  ```",
            "Line 2: a widget or ::: block must be on its own",
        ),
        ("a\n\n```text\nb\n\n```text\nc", "Line 3: the block that begins with ``` isn’t closed"),
        ("a\n\n~~~\nb\n```\n", "Line 3: the block that begins with ~~~ isn’t closed"),
        ("::: unfold Title\n```text\n:::", "Line 2: the block that begins with ``` isn’t closed"),
        (
            "```comparison\ncolumns: [a, b]\nrows:\n- [x, y]\n```",
            "Line 3, column 1: row 1 of rows has 2 entries",
        ),
        (
            "```two_contexts\nword: mouse\ncontexts:\n- {}\n- {}\n```",
            "Line 3, column 1: number 1 of contexts needs tokens and x",
        ),
        (
            "[x](lesson:no/such)",
            "Line 1: “no/such” can’t be a lesson’s address: use letters, digits, - and _",
        ),
    ],
)
def test_authors_get_errors_with_their_place(text, message):
    with pytest.raises(ContentError) as error:
        render_markdown(text)
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("text", ["```\n```", "```text\n\n```", "- ~~~\n  a\n\n  ~~~\n- b"])
def test_a_block_may_hold_little_and_stand_in_a_list(text):
    assert "<pre><code" in render_markdown(text)


def test_a_line_does_not_break_between_a_word_and_its_apostrophe():
    word = MarkedWord(forms=("queries",), html_id="meaning-query")
    html = render_markdown("The queries’ matrix", words=[word])
    assert missing_in(html, '<span class="kept"><button', "queries</button>’</span> matrix") == []


def test_what_was_rendered_in_one_language_is_not_shown_in_another():
    text = "```attention_map\nsource: animal_it\n```"
    first = render_markdown(text)
    with override("de"):
        assert "0,99" in render_markdown(text)
    assert render_markdown(text) == first


def test_code_that_is_wider_than_a_phone_can_be_scrolled_by_keyboard():
    assert render_markdown("```python\na < 1\n```") == "<pre><code>a &lt; 1\n</code></pre>\n"
    wide = render_markdown("```python\n" + "x" * 31 + "\n```")
    assert wide.startswith('<pre tabindex="0" role="group" aria-label="Code"><code>x')
