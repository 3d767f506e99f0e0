"""Saving drafts: an older save never wins, and nothing acknowledged is lost."""

import pytest

from quizzes.delivery.services.taking import submit_attempt
from quizzes.errors import NotOpen, Outdated
from quizzes.models import Answer, Item
from tests.world import Threads, refresh, save_answer


@pytest.fixture
def item(attempt):
    return attempt.items.get(position=3)  # softmax_row with two tokens


@pytest.mark.service
def test_a_draft_is_kept_as_it_was_typed(item):
    saved = save_answer(item, {"weights-0-0": " 0,5 ", "weights-0-1": "half"})
    assert refresh(item).draft == {"weights-0-0": " 0,5 ", "weights-0-1": "half"}
    assert (saved.revision, item.revision) == (1, 1)
    assert item.saved_at is not None


@pytest.mark.service
def test_a_save_in_its_turn_takes_two_statements(item, django_assert_num_queries):
    save_answer(item, {"weights-0-0": "1"}, token="first")
    with django_assert_num_queries(2):
        save_answer(item, {"weights-0-0": "2"}, revision=1, token="second")
    assert (refresh(item).draft, item.revision) == ({"weights-0-0": "2"}, 2)


def test_a_retry_is_known_by_what_was_kept_of_it(item):
    first = save_answer(item, {"weights-0-0": "9" * 100, "weights-0-1": "1\x00"}, token="t")
    again = save_answer(
        item, {"weights-0-0": "9" * 100, "weights-0-1": "1\x00"}, revision=0, token="t"
    )
    assert again.revision == first.revision


def test_saves_without_a_token_are_not_taken_for_one_another(item):
    save_answer(item, {"weights-0-0": "1"}, token="")
    assert save_answer(item, {"weights-0-0": "2"}, revision=1, token="").draft == {
        "weights-0-0": "2"
    }


def test_cells_that_are_not_the_items_are_dropped(item):
    save_answer(item, {"weights-0-0": "1", "weights-5-5": "2", "score-0-0": "3", "points": "9"})
    assert refresh(item).draft == {"weights-0-0": "1"}


@pytest.mark.service
def test_text_that_no_database_keeps_costs_its_cell_only(item):
    save_answer(item, {"weights-0-0": "1\x00", "weights-0-1": "\ud8002"})
    assert refresh(item).draft == {"weights-0-0": "1\ufffd", "weights-0-1": "?2"}


def test_text_that_is_too_long_is_cut_and_stays_unreadable(item):
    save_answer(item, {"weights-0-0": "9" * 10_000})
    assert len(refresh(item).draft["weights-0-0"]) == 65


def test_what_is_not_text_is_dropped(item):
    save_answer(item, {"weights-0-0": ["1"], "weights-0-1": 0.5})
    assert refresh(item).draft == {}


def test_a_save_whose_receipt_was_lost_still_gets_it_after_the_submit(item):
    save_answer(item, {"weights-0-0": "1"}, token="t")
    submit_attempt(attempt=item.attempt)
    assert save_answer(item, {"weights-0-0": "1"}, revision=0, token="t").revision == 1
    with pytest.raises(NotOpen):
        save_answer(item, {"weights-0-0": "2"}, revision=0, token="t")


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_of_many_saves_at_once_one_wins_and_the_others_get_a_conflict(item):
    def try_to_save(n):
        try:
            return save_answer(item, {"weights-0-0": str(n)}, revision=0, token=f"tab {n}").token
        except Outdated:
            return None

    with Threads(8) as pool:
        won = [token for token in pool.map(try_to_save, range(8)) if token]
    assert won == [refresh(item).token]
    assert item.revision == 1


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_a_save_that_was_acknowledged_is_in_the_answer(item):
    """Saves race a submit; all that were acknowledged must be in the marked answer."""

    def save_on(_):
        acknowledged = None
        try:
            for revision in range(50):
                saved = save_answer(
                    item, {"weights-0-0": str(revision)}, revision=revision, token=f"r{revision}"
                )
                acknowledged = saved.draft["weights-0-0"]
        except NotOpen:
            pass
        return acknowledged

    with Threads(1) as pool:
        saving = pool.submit(save_on, None)
        while Item.objects.get(pk=item.pk).revision < 5:
            pass
        submit_attempt(attempt=item.attempt)
        acknowledged = saving.result()
    assert Answer.objects.get(item=item).raw["weights"][0] == acknowledged
