"""Finding a place in the lessons by its words."""

import pytest

from lessons.authoring.services import import_lesson
from lessons.models import Lesson
from tests.each import each
from tests.lessons.conftest import SMALL
from tests.world import missing_in

pytestmark = pytest.mark.service
INDEXED = "A zebra of $d_k$ or $d_{\\text{model}}$ stripes, `in_proj` and `x_in_y` <b_c>."


def text_of(client, query, **more):
    response = client.get("/search/", {"q": query, **more})
    assert response.status_code == 200
    return response.text


def test_a_section_is_found_by_its_words_in_any_case(client, small_lesson):
    html = text_of(client, "MORE tok")
    assert f'href="{small_lesson.get_absolute_url()}#one"' in html
    assert "A <mark>tok</mark>en, <mark>more</mark> <mark>tok</mark>ens." in html


def test_a_lesson_is_found_by_its_own_words(client, small_lesson):
    assert f'href="{small_lesson.get_absolute_url()}"><mark>A small' not in text_of(
        client, "tagless"
    )
    assert "So <mark>small</mark>." in text_of(client, "small")


def test_every_word_must_be_there(client, small_lesson):
    assert "No results" in text_of(client, "token elephant")


def test_a_word_of_the_glossary_is_explained_first(client, small_lesson):
    html = text_of(client, "Tokens")
    assert html.index("A piece of text.") < html.index("more <mark>tokens</mark>")


def test_what_stands_in_markup_alone_is_not_found(client, small_lesson):
    small_lesson.sections.filter(slug="one").update(
        body="```heat_matrix\ncaption: Zebra\nvalues: [[1]]\n```\n\n[here](https://e.org/lion)"
    )
    for word in ("heat_matrix", "caption", "lion"):
        assert "No results" in text_of(client, word)


@each(
    "body, query, quoted",
    [
        # SQLite folds the case of ASCII alone.
        ("Élan vital", "éLAN", "<mark>Élan</mark> vital"),
        ("It didn't cross.", "didn't", "<mark>didn</mark>’<mark>t</mark>"),
        (
            r"Divide by $\sqrt{d_k}$, $\lambda$.",
            *("d_k", "Divide by √<mark>d<sub>k</sub></mark>, λ."),
        ),
        (r"Divide by $\sqrt{d_k}$.", "divide sqrt", "<mark>Divide</mark> by <mark>√</mark>"),
        (r"Divide by $\sqrt{d_k}$.", "divide √d_k", "<mark>Divide</mark> by <mark>√</mark>"),
        (
            r"The width of zebras is $d_k = \frac{d_{\text{model}}}{h}$, that is $\frac12$.",
            *("zebras", "is d<sub>k</sub> = d<sub>model</sub> / h, that is"),
        ),
        (
            r"Zebras take $e^{s_{ij}}$ up to $n^{d_k}$.",
            *("zebras", "take e<sup>s<sub>ij</sub></sup> up to n<sup>d<sub>k</sub></sup>"),
        ),
        (INDEXED, "zebra", "of d<sub>k</sub> or d<sub>model</sub> stripes, in_proj and x_in_y"),
        (INDEXED, "d_k", "<mark>d<sub>k</sub></mark> or"),
        (
            "Lions.\n\n### Of zebras\n\nThey run.\n\n### Why stripes?\n\nNobody knows.\n\n"
            "::: aside Names\nMany.\n:::\n",
            "zebras",
            "Of <mark>zebras</mark>. They run. Why stripes? Nobody knows. Names. Many.",
        ),
        (
            "Zebras:\n\n| Word | Age |\n| --- | --- |\n| foal | 1 |\n| mare | 9 |\n\nThey run.\n",
            *("zebras", "<mark>Zebras</mark>: Word · Age / foal · 1 / mare · 9 / They run."),
        ),
        (
            "::: choose What do *zebras* make of $W_K$?\n"
            "- [x] Stripes\n\n  (Yes.)\n- [ ] Dots.\n\n  No.\n:::\n",
            "zebras",
            "What do <mark>zebras</mark> make of W<sub>K</sub>? Stripes. (Yes.) Dots. No.",
        ),
    ],
)
def test_what_is_found_is_quoted_readably(client, small_lesson, body, query, quoted):
    small_lesson.sections.filter(slug="one").update(body=body)
    assert quoted in text_of(client, query)


def test_drafts_are_found_by_their_authors_alone(client, small_lesson, author):
    Lesson.objects.update(published=False)
    assert "No results" in text_of(client, "more tokens")
    client.force_login(author)
    assert "<mark>more</mark> <mark>tokens</mark>" in text_of(client, "more tokens")


def test_a_title_counts_more_than_the_text(client, small_lesson):
    small_lesson.sections.filter(slug="one").update(body="thoughts " * 9)
    html = text_of(client, "thoughts")
    assert html.index("#second-thoughts") < html.index("#one")


def test_many_places_come_in_pages_that_keep_the_query(client, small_lesson):
    sections = "".join(f"\n## Part {n}\n\nAbout zebras.\n" for n in range(12))
    import_lesson(text=SMALL + sections)
    first, second = text_of(client, "zebras"), text_of(client, "zebras", page=2)
    assert (first.count("<mark>"), second.count("<mark>")) == (10, 2)
    assert "Page 1 of 2" in first
    assert 'href="?q=zebras&amp;page=2"' in first
    assert text_of(client, "zebras", page="nonsense").count("<mark>") == 10


@each(
    "query",
    [
        *("<script>alert(1)</script>", "%", "_", "'; DROP TABLE", "\0", "x" * 10_000),
        *("\ud800".encode("utf-8", "replace"), "a b c d e f g h i j k l", "(", "\\", "[", "🙂"),
    ],
)
def test_whatever_is_typed_gets_a_page(client, small_lesson, query):
    assert "<script>alert" not in text_of(client, query)


def test_an_empty_search_is_the_form_alone(client, small_lesson):
    html = text_of(client, "  ")
    assert "Search for" in html
    assert "No results" not in html


def test_what_was_typed_is_kept(client, small_lesson):
    assert 'value="&quot;zebra&quot; &amp; lion"' in text_of(client, '"zebra" & lion')


def test_it_asks_little_of_the_database(client, small_lesson, django_assert_max_num_queries):
    with django_assert_max_num_queries(3):
        text_of(client, "token")


def test_words_are_found_from_their_start_on(client, small_lesson):
    small_lesson.sections.filter(slug="one").update(body="All terms of RMSZebra.")
    assert "All terms of <mark>RMS</mark>Zebra." in text_of(client, "rms")
    assert "No results" in text_of(client, "zebra")


def test_a_question_is_searched_by_its_rarer_words(client, small_lesson):
    body = r"By and by. Divide by $\sqrt{d_k}$, by the root."
    small_lesson.sections.filter(slug="one").update(body=body)
    html = text_of(client, "Why do we divide by √d_k?")
    assert "By and by. <mark>Divide</mark> by <mark>√</mark>" in html
    assert "<mark>why</mark>" not in html
    assert "<mark>By</mark> and <mark>by</mark>" in text_of(client, "by")


def test_nothing_of_latex_is_left_in_what_is_quoted(client, small_lesson):
    body = r"""Zebras.

$$\begin{aligned} \operatorname{rms}(x) &= \frac{x_i}{\text{sum}} \\ y &= 1\,x \end{aligned}$$

::: unfold $Q$ and $\sqrt{2}$
Yes.
:::
"""
    small_lesson.sections.filter(slug="one").update(body=body)
    html = text_of(client, "zebras")
    assert missing_in(html, "rms(x) = x<sub>i</sub> / sum y = 1 x", "Q and √2. Yes.") == []
    assert "$" not in html.partition('class="hits"')[2].partition("</ol>")[0]
