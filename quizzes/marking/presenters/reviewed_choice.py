"""A choice as its student reads it once it is marked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from design.translation import gettext as _
from quizzes.items.presenters import texts
from quizzes.models import Ruling
from quizzes.problems import verdicts
from quizzes.regrades.rules import ALSO, EVERYBODY


@dataclass(frozen=True)
class ReviewedChoice:
    """A choice as it was offered, with its verdict and feedback."""

    text: SafeString
    mark: str = ""
    says: str = ""
    feedback: SafeString | str = ""
    is_chosen: bool = False


def corrected_choice(
    choice: Mapping[str, Any], chosen: bool, keys: Sequence[Ruling]
) -> ReviewedChoice:
    """Return a choice marked by the key as it was asked, and as it was corrected."""
    was, now, everybody = choice["correct"], choice["correct"], False
    for regrade in keys:
        if regrade.values["mode"] == EVERYBODY:
            everybody = True
            continue
        everybody = everybody and regrade.values["mode"] == ALSO
        accepted = choice["key"] in regrade.values["accept"]
        now = accepted or (now and regrade.values["mode"] == ALSO)
    if chosen and not now and everybody:
        words = _("your choice, accepted since the answer key was corrected")
        return ReviewedChoice(texts.render_line(choice["text"]), verdicts.RIGHT, words, "", chosen)
    if was == now:
        return marked_choice(
            choice["text"], chosen=chosen, correct=was, feedback=choice["feedback"]
        )
    words = {
        (True, True): _("your choice, right since the answer key was corrected"),
        (False, True): _("right since the answer key was corrected"),
        (True, False): _("your choice, right until the answer key was corrected"),
        (False, False): _("right until the answer key was corrected"),
    }
    # The feedback on the choice was written for the wrong key.
    mark = verdicts.RIGHT if now else verdicts.WRONG
    return ReviewedChoice(texts.render_line(choice["text"]), mark, words[chosen, now], "", chosen)


def marked_choice(text: str, *, chosen: bool, correct: bool, feedback: str = "") -> ReviewedChoice:
    """Return a choice marked by the key as it was asked."""
    if not (chosen or correct):
        return ReviewedChoice(texts.render_line(text))
    says = _("your choice") if chosen else _("the right choice")
    if chosen and correct:
        says = _("your choice, and right")
    return ReviewedChoice(
        texts.render_line(text),
        verdicts.RIGHT if correct else verdicts.WRONG,
        says,
        texts.render_line(feedback),
        chosen,
    )
