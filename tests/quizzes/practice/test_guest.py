"""A question for visitors without an account: asked, marked at once, and stored nowhere."""

import re

import pytest
from django.contrib.sessions.models import Session
from django.core import signing
from django.db import connection
from django.test.utils import CaptureQueriesContext

import attention_core
from attention_core.variety import is_kept_for_exams
from quizzes import problems
from quizzes.models import Answer, Attempt, Grade, Item, Submission, Variant, Wording
from quizzes.practice import guest
from quizzes.problems.answers import cell_fields, flatten, input_name
from tests.each import each
from tests.quizzes.reading import Page

URL = "/try/"
pytestmark = pytest.mark.usefixtures("no_counts_of_others")


def posted(number, cells):
    """Return a form with these texts in its cells, in reading order."""
    fields = [input_name(1, cell.field) for cell in cell_fields(guest.guest_item(number).asked)]
    return {"question": guest.sign_number(number), **dict(zip(fields, cells, strict=True))}


def solution_of(number):
    item = guest.guest_item(number)
    flat = flatten(item.asked, item.variant.solution)
    return [f"{flat[cell.field]:.3f}" for cell in cell_fields(item.asked)]


def mistaken(number):
    """Return the first known mistake, and the texts that make it."""
    item = guest.guest_item(number)
    known = problems.mistakes_of(vars(item.variant))[0]
    flat = flatten(item.asked, {**item.variant.solution, known.step: known.values})
    return known, [f"{flat[cell.field]:.3f}" for cell in cell_fields(item.asked)]


def question_of(page):
    (field,) = page.all("input", name="question")
    return field["value"]


def test_all_prepared_questions_differ_take_about_a_minute_and_have_no_numbers_of_an_exam():
    for number in range(guest.PREPARED):
        variant = guest.guest_item(number).variant
        family, sizes = guest.FAMILIES[number % len(guest.FAMILIES)]
        whole = problems.fingerprint_of(variant.givens)
        assert problems.stored_fingerprint(whole) == variant.fingerprint
        assert not is_kept_for_exams(attention_core.family(family), sizes, whole)
        assert problems.variant_cost(family, sizes).minutes <= 1.25
    numbers = {guest.guest_item(n).variant.fingerprint for n in range(guest.PREPARED)}
    assert len(numbers) == guest.PREPARED == 50


def test_the_first_is_always_of_one_family_and_says_how_it_is_done(client):
    for _ in range(20):
        page = Page(client.get(URL))
        number = guest.unsign_number(question_of(page))
        assert number in range(0, guest.PREPARED, len(guest.FAMILIES))
        assert not page.all("section", id="feedback")
    assert "How is this done? The weights say how much of each value" in page.text
    assert page.all("math", inside="try")


@pytest.mark.parametrize("number", range(len(guest.FAMILIES)))
def test_a_right_answer_is_marked_right(client, number):
    page = Page(client.get(URL, posted(number, solution_of(number))))
    verdicts = {each["data-verdict"] for each in page.all("div", **{"class": "reviewed-step"})}
    assert verdicts == {"right"}
    assert page.all("a", inside="main", href="/accounts/signup/")
    # One tap unfolds the whole solution.
    assert len(page.all("details", **{"class": "worked"})) == 1


@pytest.mark.parametrize("number", range(len(guest.FAMILIES)))
def test_a_mistake_is_named_and_worked_out_and_what_was_typed_is_kept(client, number):
    known, typed = mistaken(number)
    page = Page(client.get(URL, posted(number, typed)))
    assert known.key in [each.get("data-mistake") for each in page.all("div")]
    assert page.all("div", **{"class": "slip"})
    kept = page.values(form="try")
    assert [kept[name] for name in list(posted(number, typed))[1:]] == typed


def test_no_points_are_spoken_of_where_there_are_none(client):
    number = [family for family, _ in guest.FAMILIES].index("dot_score")
    score = float(solution_of(number)[0]) + 1
    page = Page(client.get(URL, posted(number, [f"{score:.3f}", f"{score / 2**0.5:.3f}"])))
    assert "Right, given your own earlier step." in page.text
    assert "its points" not in page.text


def test_another_one_is_another(client):
    first = question_of(Page(client.get(URL)))
    second = question_of(Page(client.get(URL, {"after": first})))
    assert guest.unsign_number(second) == guest.next_number(guest.unsign_number(first))


@each(
    "question",
    ["", "nonsense", "7", signing.dumps(7), signing.dumps(10**6, salt="quizzes.trying"), "é\0"],
)
def test_what_was_not_signed_here_or_has_expired_gives_another_question(
    client, monkeypatch, question
):
    for asked in ({"question": question}, {"after": question}):
        page = Page(client.get(URL, asked))
        assert "so here’s another" in page.text
        assert not page.all("section", id="feedback")
    with monkeypatch.context() as patched:
        patched.setattr(guest, "SECONDS_TO_ANSWER", -1)
        assert "so here’s another" in client.get(URL, posted(3, solution_of(3))).text


def test_nothing_is_marked_before_each_cell_is_typed(client):
    page = Page(client.get(URL, {"question": guest.sign_number(0)}))
    assert "Type an answer" in page.text
    assert not page.all("section", id="feedback")
    number = next(n for n in range(guest.PREPARED) if len(solution_of(n)) > 1)
    cells = [solution_of(number)[0], *("" for _ in solution_of(number)[1:])]
    page = Page(client.get(URL, posted(number, cells)))
    assert "A cell is still empty. Fill it in, then check again." in page.text
    assert not page.all("section", id="feedback")
    assert f'value="{cells[0]}"' in page.html


def test_nothing_is_marked_while_an_entry_cannot_be_read(client):
    number = next(n for n in range(guest.PREPARED) if len(solution_of(n)) > 1)
    page = Page(client.get(URL, posted(number, ["1/2+x", *solution_of(number)[1:]])))
    assert "can’t be read, so nothing was checked" in page.text
    assert not page.all("section", id="feedback")
    assert [each["value"] for each in page.all("input", aria_invalid="true")] == ["1/2+x"]


def test_no_row_is_written_and_nobody_is_logged_in(client):
    rows = (Answer, Attempt, Grade, Item, Submission, Variant, Wording, Session)
    client.get(URL, posted(1, solution_of(1)))
    assert [model.objects.count() for model in rows] == [0] * len(rows)
    assert not client.cookies


def test_the_page_does_not_tell_the_solution(client):
    html = client.get(URL, {"after": guest.sign_number(guest.PREPARED - 1)}).text
    assert guest.unsign_number(question_of(Page(client.get(URL)))) is not None
    assert not set(re.findall(r"-?\d+\.\d{3}\b", html)) & set(solution_of(0))


def test_many_answers_in_a_short_time_are_refused_and_keep_what_was_typed(client, settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "try_question": "1/m/ip"}
    fields = posted(0, solution_of(0))
    assert client.get(URL, fields).status_code == 200
    refused = client.get(URL, fields)
    assert refused.status_code == 429
    page = Page(refused)
    assert "many answers" in page.text
    kept = page.values(form="try")
    assert [kept[name] for name in list(fields)[1:]] == solution_of(0)


def test_an_answer_stands_in_the_address_and_no_search_engine_keeps_it(client):
    marked = client.get(URL, posted(1, solution_of(1)))
    again = client.get(marked.wsgi_request.get_full_path())
    assert Page(again).all("section", id="feedback")
    assert "noindex" in again.text
    assert "noindex" not in client.get(URL).text


def test_whoever_has_an_account_is_led_to_practice(client, as_student):
    page = Page(client.get(URL, posted(0, solution_of(0))))
    assert page.all("button", formaction="/practice/family/weighted_value/", form="begin")
    assert page.all("form", id="begin", method="post")
    assert "Create an account" not in page.text


def test_the_database_is_asked_for_lessons_and_counts_alone(client):
    fields = posted(0, solution_of(0))
    with CaptureQueriesContext(connection) as asked:
        client.get(URL)
        client.get(URL, fields)
    sql = " ".join(query["sql"] for query in asked)
    tables = set(re.findall(r'(?:FROM|INTO|UPDATE) "(\w+)"', sql))
    assert tables <= {"softmark_cache", "lessons_lesson", "lessons_section"}
