"""What workers print ahead: pages are the same with it and without, and it can go at any time."""

import re
from datetime import timedelta
from unittest import mock

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from quizzes import problems
from quizzes.delivery.services.stocking import clear_stock, stock_variants
from quizzes.delivery.services.taking import start_attempt, submit_attempt
from quizzes.items.presenters.asked_item import asked_items
from quizzes.items.presenters.worked_solution import Solved
from quizzes.marking.presenters.reviewed_item import Graded, reviewed_item
from quizzes.marking.services import grade_waiting
from quizzes.models import Answer, Grade, Item, Sheet, Variant
from quizzes.problems.answers import as_grid, cell_fields, choice_field, nest
from quizzes.sheets import finding, services
from quizzes.sheets.finding import ASKED, asked_of, key_of, solved_of
from quizzes.sheets.services import KEPT, discard_sheets, make_sheets
from tests.each import each
from tests.world import answer_everything, right_fields, wording_for, wrong_fields

CHANGING = re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"|data-seconds-left="[^"]*"')


@pytest.fixture
def attempt(quiz, student, client, settings):
    settings.VARIANTS_IN_STOCK = 1
    stock_variants(seconds=60)
    assert make_sheets(seconds=60) == Variant.objects.count()
    client.force_login(student)
    return start_attempt(student=student, quiz=quiz)


def page_unchanged(client, attempt):
    return CHANGING.sub("", client.get(f"/attempts/{attempt.pk}/").text)


def item_of(family, position=3):
    columns = problems.draw_variant(problems.kind_of(family, {}), "sheets", for_exams=True)
    variant = Variant.objects.create(**columns)
    return Item(pk=1, position=position, place=2, variant=variant, wording_id=wording_for(variant))


def drafts_for(item):
    """Nothing, some, what is right, and what a page has something to say of."""
    cells = list(cell_fields(item.shown))
    right = {
        cell.field: f"{as_grid(item.variant.solution[cell.step])[cell.row][cell.column]:.3f}"
        for cell in cells
    }
    for step in item.shown["steps"]:
        if step["choices"]:
            right[choice_field(step["key"])] = "1"
    yield from ({}, right)
    if cells:
        typed = cells[-1].field
        yield from ({typed: text} for text in ("<b>", "1/2", "a\ufdd1", "123456", "-12.34567"))


@pytest.mark.slow  # of the families that a quiz asks, the pages below say the same
@each("family", problems.family_keys())
def test_what_was_printed_ahead_is_what_is_made_without_it(db, family):
    item = item_of(family)
    make_sheets()
    for draft in drafts_for(item):
        item.draft = draft
        (found,) = asked_items([item], sheets=asked_of([item]), typed={})
        (made,) = asked_items([item], sheets={}, typed={})
        assert found == made
        answer, grade = marked_answer(item, draft)
        sheet = solved_of([item])[item.pk]
        found, made = (Graded.of(answer, grade, each) for each in (sheet, ""))
        assert reviewed_item(found, {}) == reviewed_item(made, {})


def marked_answer(item, draft):
    """The item as an answer, with its grade."""
    raw = nest(item.asked, draft)
    (mark,) = problems.mark_numeric([(vars(item.variant), raw, item.points)])
    points = {"points": float(mark.points), "out_of": float(mark.out_of)}
    return Answer(item=item, raw=raw), Grade(**points, verdict=mark.verdict, steps=mark.steps)


def test_of_solutions_an_open_attempt_finds_nothing(db):
    item = item_of("cosine")
    make_sheets()
    assert "worked" not in asked_of([item])[item.pk]
    Sheet.objects.filter(key=key_of(ASKED, item.wording_id)).delete()
    assert solved_of([item])
    assert not asked_of([item])


def test_a_review_is_the_same_without_sheets(client, attempt):
    answer_everything(attempt, lambda item: (wrong_fields, right_fields)[item.position % 2](item))
    submit_attempt(attempt=attempt)
    while grade_waiting():
        pass
    address = f"/attempts/{attempt.pk}/results/"
    with mock.patch.object(Solved, "of", wraps=Solved.of) as made:
        printed = client.get(address)
        assert printed.status_code == 200
        concepts = attempt.items.filter(variant=None).count()
        assert made.call_count == concepts
    Sheet.objects.all().delete()
    assert CHANGING.sub("", client.get(address).text) == CHANGING.sub("", printed.text)


def test_a_page_is_the_same_without_sheets(client, attempt):
    answer_everything(attempt)
    printed = page_unchanged(client, attempt)
    assert Sheet.objects.all().delete()[0]
    assert page_unchanged(client, attempt) == printed


def test_a_page_with_sheets_reads_no_numbers(client, attempt):
    with CaptureQueriesContext(connection) as queries:
        page_unchanged(client, attempt)
    assert not [each for each in queries if '"givens"' in each["sql"]]
    Sheet.objects.all().delete()
    with CaptureQueriesContext(connection) as queries:
        page_unchanged(client, attempt)
    assert len([each for each in queries if '"givens"' in each["sql"]]) == 1


def test_sheets_of_another_release_are_not_shown_but_made_again(db, monkeypatch):
    item = item_of("cosine")
    assert make_sheets() == 1
    assert make_sheets() == 0
    for module in (finding, services):
        monkeypatch.setattr(module, "release", lambda: "another")
    finding._hashed.cache_clear()
    assert not asked_of([item])
    assert discard_sheets() == 2
    assert make_sheets() == 1
    assert asked_of([item])
    finding._hashed.cache_clear()


def test_a_sheet_is_for_the_words_that_were_asked(db):
    item = item_of("cosine")
    make_sheets()
    assert asked_of([item])
    item.wording_id = wording_for(item_of("dot_score").variant)
    assert not asked_of([item])


def test_sheets_go_with_their_variants_and_when_they_were_asked_long_ago(attempt):
    assert discard_sheets() == 0
    Variant.objects.filter(given_at__isnull=False).update(
        given_at=timezone.now() - KEPT - timedelta(days=1)
    )
    asked = Item.objects.filter(attempt=attempt, variant__isnull=False).count()
    assert discard_sheets() == 2 * asked
    assert not asked_of(attempt.items.all())


def test_clearing_the_stock_takes_sheets_along(db):
    item_of("cosine")
    make_sheets()
    Variant.objects.update(drawn_at=timezone.now() - timedelta(days=2))
    assert clear_stock() == 1
    assert not Sheet.objects.exists()
