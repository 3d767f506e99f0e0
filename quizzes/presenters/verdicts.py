"""What verdicts are called in full sentences, and what is said of them."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from design.verdicts import WORDS

RIGHT, FOLLOWS, MISTAKE, PARTIAL, WRONG = "right", "follows", "mistake", "partial", "wrong"

IN_FULL = {
    PARTIAL: gettext_lazy("partly right"),
    "near": gettext_lazy("nearly right"),
}
NOTES = {
    FOLLOWS: gettext_lazy("Right, worked on from your own earlier step: it earns all its points."),
    "near": gettext_lazy(
        "The method is right, rounded too early: it earns half. Carry more digits until the end."
    ),
    WRONG: gettext_lazy(
        "Not right, and none of the mistakes that are known by name. Compare it with the worked "
        "solution."
    ),
    "blank": gettext_lazy("Nothing was typed here."),
}


def word_of(verdict: str) -> str:
    """A verdict in words."""
    return str(IN_FULL.get(verdict) or WORDS.get(verdict, verdict))


def choice_note_of(verdict: str) -> str:
    """What is said of a choice: what was chosen speaks for itself."""
    return _("Nothing was chosen.") if verdict == "blank" else ""


def note_of(verdict: str) -> str:
    """What is said of every step of this verdict."""
    return str(NOTES.get(verdict, ""))
