"""Outcomes for a row that a file describes: an edit is never lost unnoticed."""

from foundation.loading import LoadOutcome, fingerprint, outcome_of
from tests.each import each

LOADED, EDITED, NEWER = {"title": "Loaded"}, {"title": "Edited"}, {"title": "Newer"}


@each(
    "wanted, stored, overwrite, outcome",
    [
        (LOADED, None, False, LoadOutcome.CREATED),
        (LOADED, LOADED, False, LoadOutcome.UNCHANGED),
        (NEWER, LOADED, False, LoadOutcome.UPDATED),
        (LOADED, EDITED, False, LoadOutcome.KEPT),
        (NEWER, EDITED, False, LoadOutcome.KEPT),
        (EDITED, EDITED, False, LoadOutcome.UNCHANGED),
        (LOADED, EDITED, True, LoadOutcome.UPDATED),
        (EDITED, EDITED, True, LoadOutcome.UNCHANGED),
    ],
)
def test_a_row_follows_its_file_until_somebody_edits_it(wanted, stored, overwrite, outcome):
    """The file that was loaded contained LOADED."""
    known = fingerprint(LOADED)
    found = outcome_of(wanted=wanted, stored=stored, source_hash=known, overwrite=overwrite)
    assert found == outcome


def test_a_row_that_says_it_already_is_not_written_again():
    written = [outcome for outcome in LoadOutcome if outcome.writes]
    assert written == [LoadOutcome.CREATED, LoadOutcome.UPDATED]


def test_the_order_in_which_data_is_named_makes_no_difference():
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    assert fingerprint({"a": 1}) != fingerprint({"a": 2})


def test_a_text_has_the_fingerprint_by_which_older_rows_remember_it():
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert fingerprint("abc") == known
