"""A broken reference is reported on save, at its field and line, and nothing is lost."""

import pytest
from django.contrib.messages import get_messages
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lessons import extensions
from lessons.authoring.references import broken_links
from lessons.authoring.services import export_lesson, import_lesson, load_lessons, save_image
from lessons.models import Lesson
from lessons.pages.page import lesson_page
from lessons.pages.queries import pictures_in
from lessons.rendering import render_markdown
from tests.each import each as for_each
from tests.lessons.conftest import CONTENT, SMALL, errors_of, make_image, save_in_admin
from tests.world import missing_in


@for_each(
    "field, text, complaint",
    [
        (
            *("today", "a\r\n[b](lesson:smal)"),
            "Line 2: there’s no lesson “smal”; did you mean “small",
        ),
        ("today", "[b](#three)", "Line 1: the lesson “small” has no section “three”"),
        ("sections-0-body", "\r\n\r\n[[vector]]", "Line 1: the lesson’s glossary has no"),
        ("sections-0-body", "a\r\nb ![x](image:cat)", "Line 2: there’s no image “cat”"),
        (
            *("today", "a\r\n\r\n::: unfold [b](#three)\r\nc\r\n:::"),
            "Line 3: the lesson “small” has no",
        ),
        ("words-0-meaning", "[b](lesson:small#x)", "Line 1: the lesson “small” has no section “x”"),
        ("sections-0-body", "fine\r\n\r\n$\\foo$", "Line 3: the formula “\\foo”"),
        ("sections-0-body", "a\r\n\r\n::: unfold A\r\nb", "Line 3: the block that begins with"),
        ("sections-1-body", "```heat_matrix\r\ncaption: [\r\n```", "Line 3, column 1: this is"),
        ("easy_mistake", "ok\r\n$\\foo$", "Line 2: the formula"),
    ],
)
def test_errors_are_shown_at_their_field_and_the_text_is_kept_but_not_saved(
    author_client, small_lesson, field, text, complaint
):
    response = save_in_admin(author_client, small_lesson, **{field: text})
    assert response.status_code == 200
    errors = errors_of(response)
    assert list(errors) == [field]
    assert errors[field][0].startswith(complaint)
    assert text.split("\r\n")[-1] in response.text
    assert export_lesson(lesson=Lesson.objects.get()) == SMALL


def test_all_errors_of_all_texts_are_reported_at_once(author_client, small_lesson):
    wrong = "$\\foo$\r\n\r\nfine\r\n\r\n[b](#three)\r\n\r\n$\\bar$"
    errors = errors_of(
        save_in_admin(author_client, small_lesson, **{"today": wrong, "sections-0-body": wrong})
    )
    assert set(errors) == {"today", "sections-0-body"}
    for told in errors.values():
        assert sorted(error.partition(":")[0] for error in told) == ["Line 1", "Line 5", "Line 7"]


def test_an_unknown_family_is_reported_with_the_one_that_was_meant(author_client, small_lesson):
    def save(families):
        return save_in_admin(author_client, small_lesson, **{"sections-1-families": families})

    unknown = "there’s no family of problems “softmax_rwo”; did you mean “softmax_row”?"
    for families, error in (
        ("scale_row, softmax_rwo", unknown),
        ("scale_row,softmax_row", "Keys, separated by a comma and a space."),
    ):
        assert errors_of(save(families)) == {"sections-1-families": [error]}
    assert save("scale_row, softmax_row").status_code == 302


def test_without_registered_families_none_is_wrong(author_client, small_lesson, monkeypatch):
    monkeypatch.setattr(extensions, "_extensions", [])
    changed = {"sections-1-families": "softmax_rwo"}
    assert save_in_admin(author_client, small_lesson, **changed).status_code == 302


def test_a_page_outlives_a_reference_that_broke_later(db):
    html = render_markdown("![A cat](image:cat), [[word]], [there](lesson:nowhere).")
    assert missing_in(html, "A cat", "word") == []


def test_renaming_a_section_reports_links_that_now_lead_nowhere(author_client, small_lesson):
    link = "[there](lesson:small#second-thoughts)"
    text = SMALL.replace("slug: small", "slug: other").replace("A small lesson", "Another")
    import_lesson(text=text.replace("$x^2$", link))
    answer = save_in_admin(author_client, small_lesson, **{"sections-1-slug": "third"})
    messages = [str(message) for message in get_messages(answer.wsgi_request)]
    assert messages[0] == (
        "A link in “Another” is broken: the lesson “small” has no section “second-thoughts”."
    )


@pytest.mark.slow
def test_no_link_of_what_ships_leads_nowhere(db):
    load_lessons(folder=CONTENT / "lessons")
    assert broken_links() == []


def drawn(text: str) -> str:
    return render_markdown(text, pictures=pictures_in([text]))


@pytest.fixture
def cat(db, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    return save_image(name="cat", alt='A "cat"', content=make_image(size=(60, 40)))


def test_an_image_comes_with_its_size_so_that_nothing_shifts(cat):
    html = drawn("![Our cat](image:cat)")
    assert f'src="{cat.get_absolute_url()}"' in html
    assert 'alt="Our cat"' in html
    assert 'width="60" height="40"' in html


def test_an_image_says_what_it_shows_also_where_the_lesson_does_not(cat):
    assert 'alt="A &quot;cat&quot;"' in drawn("Look: ![](image:cat)")


def test_an_image_alone_may_have_a_caption(cat):
    html = drawn('![Our cat](image:cat "Asleep <again>")')
    assert html.startswith("<figure>")
    assert "<figcaption>Asleep &lt;again&gt;</figcaption>" in html


def test_a_new_picture_under_an_old_name_is_shown_at_once(cat):
    before = drawn("![](image:cat)")
    save_image(name="cat", alt="Another", content=make_image(size=(60, 40)) + b"\0", image=cat)
    assert drawn("![](image:cat)") != before


def test_the_title_of_a_block_may_show_an_image(cat):
    assert cat.get_absolute_url() in drawn("::: unfold Who is ![this](image:cat)?\nOur cat.\n:::")


def test_a_page_asks_once_for_all_its_images(cat, small_lesson):
    shows = "Look: ![One](image:cat) and ![another](image:dog)."
    text = SMALL.replace("A piece of text.", f"'{shows}'").replace("$x^2$", shows)
    lesson = import_lesson(text=text)
    with CaptureQueriesContext(connection) as asked:
        page = lesson_page(lesson)
    assert sum("lessonimage" in query["sql"] for query in asked) == 1
    for shown in (page["words"][0], page["sections"][1]):
        assert cat.get_absolute_url() in shown["html"]


def test_a_page_without_images_asks_for_none(small_lesson):
    with CaptureQueriesContext(connection) as asked:
        lesson_page(small_lesson)
    assert not any("lessonimage" in query["sql"] for query in asked)


CAPTION = 'caption: "![Our cat](image:cat)"'
COMPARISON = "columns: [One, Another]\nrows: [[Size, small, large]]"


def test_a_widget_shows_no_image_but_its_words(cat):
    html = drawn(f"```comparison\n{CAPTION}\n{COMPARISON}\n```")
    assert "Our cat" in html
    assert "<img" not in html


@pytest.mark.parametrize("text", ["sections-0-body", "today"])
def test_the_author_of_an_image_in_a_widget_is_told_where_images_stand(
    author_client, small_lesson, text
):
    body = f"Look:\n\n```comparison\n{COMPARISON}\n{CAPTION}\n```"
    (error,) = errors_of(save_in_admin(author_client, small_lesson, **{text: body}))[text]
    assert error == "Line 6: a widget can’t show images: put the image in the text above or below"


@pytest.mark.parametrize(
    "changes",
    [
        {"today": "See [there](#third).", "sections-1-slug": "third"},
        {"today": f"```markdown\n{CAPTION}\n```"},
    ],
    ids=["section of the same form", "image in an example"],
)
def test_what_breaks_no_reference_is_saved(author_client, small_lesson, changes):
    assert save_in_admin(author_client, small_lesson, **changes).status_code == 302
