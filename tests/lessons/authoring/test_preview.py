"""The authors' preview: the text as the site renders it, and errors at their lines."""

import pytest
from django.contrib.auth.models import Permission

from tests.world import make_user, missing_in

URL = "/admin/lessons/lesson/preview/"
FORM = {
    "slug": "mine",
    "sections-TOTAL_FORMS": "1",
    "sections-0-slug": "one",
    "words-TOTAL_FORMS": "1",
    "words-0-term": "token",
    "words-0-forms": "tokens",
    "words-0-meaning": "A *piece* of text.",
}


@pytest.fixture
def preview_of(author_client):
    def ask(text: str, field: str = "sections-0-body", **form: str) -> dict:
        data = FORM | form | {field: text, "preview_of": field}
        return author_client.post(URL, data, headers={"Accept": "application/json"}).json()

    return ask


def test_the_text_is_shown_by_the_sites_own_renderer(preview_of):
    shown = preview_of("Some *prose*,\r\n$x^2$.")
    assert "<em>prose</em>" in shown["html"]
    assert "<math>" in shown["html"]
    assert not shown["error"]


def test_words_that_are_not_saved_yet_are_marked_and_explained(preview_of):
    html = preview_of("Two tokens.")["html"]
    assert missing_in(html, 'popovertarget="meaning-token"', "A <em>piece</em> of text.") == []


def test_outside_the_sections_only_explicit_words_are_marked(preview_of):
    assert "popovertarget" not in preview_of("A token.", "today")["html"]
    assert "popovertarget" in preview_of("A [[token]].", "today")["html"]


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("fine\r\n\r\n$\\foo$", "Line 3: the formula", 3),
        ("x\n\n```heat_matrix\ncaption: x\nvalues: [1\n```", "Line 6, column 1: this is", 6),
        ("[b](lesson:mine#two)", "Line 1: the lesson “mine” has no section “two”", 1),
        ("a [[tokn]]", "Line 1: the lesson’s glossary has no word “tokn”; did you mean “token”", 1),
        ("![a](image:cat)", "Line 1: there’s no image “cat”", 1),
    ],
)
def test_errors_are_shown_with_their_line(db, preview_of, text, message, line):
    shown = preview_of(text)
    assert shown["error"].startswith(message)
    assert shown["line"] == line


def test_every_block_that_is_wrong_is_named_and_the_others_are_shown(preview_of):
    shown = preview_of("Some *prose*.\n\n$\\foo$\n\n- a [[tokn]]\n\n$\\bar$\n\nThe **end**.")
    assert missing_in(shown["html"], "<em>prose</em>", "<strong>end</strong>") == []
    lines = shown["error"].split("\n")
    assert [line.partition(":")[0] for line in lines] == ["Line 3", "Line 5", "Line 7"]
    assert shown["line"] == 3


def test_a_text_with_a_mark_that_nothing_reads_is_shown_as_far_as_it_goes(preview_of):
    shown = preview_of("Some *prose*.\n\n::: unfold Title\nNo end.")
    assert "<em>prose</em>" in shown["html"]
    assert (shown["error"][:16], shown["line"]) == ("Line 3: the bloc", 3)


def test_without_a_script_it_is_a_page_of_its_own(author_client):
    answer = author_client.post(URL, FORM | {"today": "Some *prose*.", "preview_of": "today"})
    assert answer["Content-Type"].startswith("text/html")
    assert "<em>prose</em>" in answer.text


def test_the_preview_can_run_no_script_and_only_the_admin_frames_it(author_client):
    answer = author_client.get(URL)
    assert "script-src 'none'" in answer["Content-Security-Policy"]
    assert "frame-ancestors 'self'" in answer["Content-Security-Policy"]
    assert answer["X-Frame-Options"] == "SAMEORIGIN"


@pytest.mark.parametrize("staff", [False, True])
def test_it_is_for_authors_alone(client, db, staff):
    user = make_user("X", is_staff=staff)
    client.force_login(user)
    assert client.post(URL, FORM).status_code == 403
    if staff:
        user.user_permissions.add(Permission.objects.get(codename="change_lesson"))
        assert client.post(URL, FORM).status_code == 200
