"""What workers print ahead: pages are the same with it and without, and it can go at any time."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from quizzes import problems, sheets
from quizzes.answers import as_grid, cell_fields, choice_field
from quizzes.models import Item, Sheet, Variant
from quizzes.presenters.asked_item import asked_items
from quizzes.services.stocking import clear_stock, stock_variants
from quizzes.services.taking import start_attempt
from quizzes.sheets import discard_sheets, make_sheets, sheets_of

from .answering import answer_everything
from .showing import wording_for

CHANGING = re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"|data-seconds-left="[^"]*"')


@pytest.fixture
def attempt(quiz, student, client, settings):
    settings.VARIANTS_IN_STOCK = 1
    stock_variants(seconds=60)
    assert make_sheets(seconds=60) == Variant.objects.count()
    client.force_login(student)
    return start_attempt(student=student, quiz=quiz)


def page(client, attempt):
    return CHANGING.sub("", client.get(f"/attempts/{attempt.pk}/").content.decode())


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


@pytest.mark.parametrize("family", problems.family_keys())
def test_a_sheet_filled_in_is_what_is_made_without_it(db, family):
    item = item_of(family)
    make_sheets()
    for draft in drafts_for(item):
        item.draft = draft
        (found,) = asked_items([item], sheets=sheets_of([item]), typed={})
        (made,) = asked_items([item], sheets={}, typed={})
        assert found == made


def test_a_page_is_the_same_without_sheets(client, attempt):
    answer_everything(attempt)
    printed = page(client, attempt)
    assert Sheet.objects.all().delete()[0]
    assert page(client, attempt) == printed


def test_a_page_with_sheets_reads_no_numbers(client, attempt):
    with CaptureQueriesContext(connection) as queries:
        page(client, attempt)
    assert not [each for each in queries if '"givens"' in each["sql"]]
    Sheet.objects.all().delete()
    with CaptureQueriesContext(connection) as queries:
        page(client, attempt)
    assert len([each for each in queries if '"givens"' in each["sql"]]) == 1


def test_sheets_of_another_release_are_not_shown_but_made_again(db, monkeypatch):
    item = item_of("cosine")
    assert make_sheets() == 1
    assert make_sheets() == 0
    monkeypatch.setattr(sheets, "release", lambda: "another")
    sheets._hashed.cache_clear()
    assert not sheets_of([item])
    assert discard_sheets() == 1
    assert make_sheets() == 1
    assert sheets_of([item])
    sheets._hashed.cache_clear()


def test_a_sheet_is_for_the_words_that_were_asked(db):
    item = item_of("cosine")
    make_sheets()
    assert sheets_of([item])
    item.wording_id = wording_for(item_of("dot_score").variant)
    assert not sheets_of([item])


def test_sheets_go_with_their_variants_and_when_they_were_asked_long_ago(attempt):
    assert discard_sheets() == 0
    Variant.objects.filter(given_at__isnull=False).update(
        given_at=timezone.now() - sheets.KEPT - timedelta(days=1)
    )
    asked = Item.objects.filter(attempt=attempt, variant__isnull=False).count()
    assert discard_sheets() == asked
    assert not sheets_of(attempt.items.all())


def test_clearing_the_stock_takes_sheets_along(db):
    item_of("cosine")
    make_sheets()
    Variant.objects.update(drawn_at=timezone.now() - timedelta(days=2))
    assert clear_stock() == 1
    assert not Sheet.objects.exists()
