"""Verdicts in full words, and notes on them."""

from design.translation import gettext as _
from design.translation import gettext_lazy
from design.verdicts import WORDS
from quizzes.problems import verdicts

IN_FULL = {
    verdicts.PARTIAL: gettext_lazy("partly right"),
    verdicts.NEAR: gettext_lazy("nearly right"),
}
NOTES = {
    verdicts.FOLLOWS: gettext_lazy("Right, given your own earlier step."),
    verdicts.NEAR: gettext_lazy(
        "The method is right, but you rounded too early. Keep more digits until the end."
    ),
    verdicts.WRONG: gettext_lazy(
        "Not right, and it doesn’t match a mistake we recognise. Compare it with the worked"
        " solution."
    ),
    verdicts.BLANK: gettext_lazy("You didn’t enter anything here."),
}
# Shown only where there are points.
POINTS_NOTES = {
    verdicts.FOLLOWS: gettext_lazy("This step earns all its points."),
    verdicts.NEAR: gettext_lazy("This step earns half its points."),
}


def verdict_word(verdict: str) -> str:
    """Return a verdict in words."""
    return str(IN_FULL.get(verdict, WORDS.get(verdict, verdict)))


def choice_note(verdict: str) -> str:
    """Return the note on a choice's verdict; only a missing choice needs one."""
    return _("You didn’t choose anything.") if verdict == verdicts.BLANK else ""


def verdict_note(verdict: str) -> str:
    """Return the note on steps of this verdict."""
    return str(NOTES.get(verdict, ""))


def points_note(verdict: str) -> str:
    """Return the note on the points that steps of this verdict earn."""
    return str(POINTS_NOTES.get(verdict, ""))
