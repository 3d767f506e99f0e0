"""Outcomes for a row that a file describes: an edit is never lost unnoticed."""

import pytest

from foundation.loading import LoadOutcome, fingerprint, outcome_of

LOADED, EDITED, NEWER = {"title": "Loaded"}, {"title": "Edited"}, {"title": "Newer"}


def decided(wanted, stored, *, overwrite=False):
    """Return the outcome for a row that was loaded when its file contained LOADED."""
    return outcome_of(
        wanted=wanted, stored=stored, source_hash=fingerprint(LOADED), overwrite=overwrite
    )


@pytest.mark.parametrize(
    ("wanted", "stored", "outcome"),
    [
        (LOADED, None, LoadOutcome.CREATED),
        (LOADED, LOADED, LoadOutcome.UNCHANGED),
        (NEWER, LOADED, LoadOutcome.UPDATED),
        (LOADED, EDITED, LoadOutcome.KEPT),
        (NEWER, EDITED, LoadOutcome.KEPT),
        (EDITED, EDITED, LoadOutcome.UNCHANGED),
    ],
)
def test_a_row_follows_its_file_until_somebody_edits_it(wanted, stored, outcome):
    assert decided(wanted, stored) == outcome


def test_an_edit_is_lost_where_that_is_asked_for():
    assert decided(LOADED, EDITED, overwrite=True) == LoadOutcome.UPDATED


def test_a_row_that_says_it_already_is_not_written_again():
    assert decided(EDITED, EDITED, overwrite=True) == LoadOutcome.UNCHANGED
    assert [each for each in LoadOutcome if each.writes] == [
        LoadOutcome.CREATED,
        LoadOutcome.UPDATED,
    ]


def test_the_order_in_which_data_is_named_makes_no_difference():
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    assert fingerprint({"a": 1}) != fingerprint({"a": 2})


def test_a_text_has_the_fingerprint_by_which_older_rows_remember_it():
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert fingerprint("abc") == known
