"""Outcomes for a row that a file describes: an edit is never lost unnoticed."""

import pytest

from foundation.loading import Outcome, fingerprint, outcome_of

LOADED, EDITED, NEWER = {"title": "Loaded"}, {"title": "Edited"}, {"title": "Newer"}


def decided(wanted, stored, *, overwrite=False):
    """Return the outcome for a row that was loaded when its file contained LOADED."""
    return outcome_of(
        wanted=wanted, stored=stored, source_hash=fingerprint(LOADED), overwrite=overwrite
    )


@pytest.mark.parametrize(
    ("wanted", "stored", "outcome"),
    [
        (LOADED, None, Outcome.CREATED),
        (LOADED, LOADED, Outcome.UNCHANGED),
        (NEWER, LOADED, Outcome.UPDATED),
        (LOADED, EDITED, Outcome.KEPT),
        (NEWER, EDITED, Outcome.KEPT),
        (EDITED, EDITED, Outcome.UNCHANGED),
    ],
)
def test_a_row_follows_its_file_until_somebody_edits_it(wanted, stored, outcome):
    assert decided(wanted, stored) == outcome


def test_an_edit_is_lost_where_that_is_asked_for():
    assert decided(LOADED, EDITED, overwrite=True) == Outcome.UPDATED


def test_a_row_that_says_it_already_is_not_written_again():
    assert decided(EDITED, EDITED, overwrite=True) == Outcome.UNCHANGED
    assert [each for each in Outcome if each.writes] == [Outcome.CREATED, Outcome.UPDATED]


def test_the_order_in_which_data_is_named_makes_no_difference():
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    assert fingerprint({"a": 1}) != fingerprint({"a": 2})


def test_a_text_has_the_fingerprint_by_which_older_rows_remember_it():
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert fingerprint("abc") == known
