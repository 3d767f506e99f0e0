"""The first wrong number of an answer, beside the right one."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import ngettext

from design.matrix import format_number
from design.translation import gettext as _
from quizzes.items.presenters import grids, texts
from quizzes.items.presenters.asked_item import format_reading
from quizzes.problems import Slip, cell_notes, decimals_right
from quizzes.problems.answers import CellField, cell_field, flatten, nest_as_grid


def first_slip(
    shown: Mapping[str, Any], raw: Mapping[str, Any], slip: Slip, *, is_named: bool = False
) -> dict[str, Any]:
    """Return the slip of an answer to what was shown, in words.

    `place` is "" where there is only one. `typed` is the input, and `read_as` its reading if odd;
    `here` is the right number, which may follow from the student's own earlier ones. `why` names a
    certain cause, and `formula` is the cell written out. Where a known mistake `is_named`, decimals
    are not mentioned.
    """
    step = next(step for step in shown["steps"] if step["key"] == slip.step)
    field = cell_field(slip.step, slip.row, slip.column)
    text = nest_as_grid(raw[slip.step])[slip.row][slip.column]
    notes = {note.cell.field: note.read_as for note in cell_notes(shown, flatten(shown, raw))}
    return {
        "place": grids.place_in_matrix(step, CellField(field, slip.step, slip.row, slip.column)),
        "typed": texts.format_typed(text),
        "here": format_number(slip.here, step["decimals"]),
        "read_as": format_reading(notes.get(field, ""), text),
        "follows": slip.follows,
        "why": _why(slip) or ("" if is_named else _why_near(text, slip.here, step["decimals"])),
        "formula": texts.render_formula(slip.worked),
    }


def _why(slip: Slip) -> str:
    if slip.other_sign:
        return _("The sign was lost.") if slip.here < 0 else _("There’s one minus sign too many.")
    if slip.tens:
        times = {"times": format_number(10 ** abs(slip.tens))}
        if slip.tens > 0:
            return _("That’s %(times)s times too large.") % times
        return _("That’s %(times)s times too small.") % times
    return ""


def _why_near(text: str, here: float, asked: int) -> str:
    decimals = decimals_right(text, here, asked)
    if decimals is None:
        return ""
    words = ngettext(
        "Right to %(decimals)s decimal: give %(asked)s.",
        "Right to %(decimals)s decimals: give %(asked)s.",
        decimals,
    )
    if not decimals:
        words = ngettext(
            "Right to the whole number: give %(asked)s decimal.",
            "Right to the whole number: give %(asked)s decimals.",
            asked,
        )
    return words % {"decimals": decimals, "asked": asked}
