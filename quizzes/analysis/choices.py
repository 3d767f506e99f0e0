"""Counts of the choices of a concept question. No database."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from quizzes.analysis.statistics import NO_MINIMUM, Answered, Figures, share_in_thirds, thirds
from quizzes.problems import verdicts

# The key of the answers without a choice.
NO_CHOICE = ""


@dataclass(frozen=True)
class ChoiceCount:
    """The counts of a choice; None where they would reveal few people.

    `in_weakest` and `in_best` are the shares in two thirds of the students (`thirds`).
    """

    key: str
    is_credited: bool
    count: int | None
    share: float | None
    in_weakest: float | None = None
    in_best: float | None = None


def choice_counts(
    answers: Sequence[Answered], offered: Collection[str], figures: Figures, fewest: int
) -> list[ChoiceCount]:
    """Return the counts of the choices in this order, then of others that were once offered.

    The last is of the answers without a choice, if any. With a minimum, counts are those alone that
    the question's `figures` reveal.
    """
    worth = [each for each in answers if each.out_of > 0]
    chosen: dict[str, list[int]] = {key: [] for key in offered}
    for place, each in enumerate(worth):
        chosen.setdefault(each.chosen, []).append(place)
    if NO_CHOICE in chosen:
        chosen[NO_CHOICE] = chosen.pop(NO_CHOICE)
    credited = {each.chosen for each in worth if each.verdict == verdicts.RIGHT}
    shows_all = fewest == NO_MINIMUM
    shown = {} if shows_all else _revealed(figures, credited, worth)
    parts = thirds(worth) if shows_all else None
    found = []
    for key, own in chosen.items():
        count = len(own) if shows_all else shown.get(key)
        share = count / len(worth) if count is not None and worth else None
        found.append(ChoiceCount(key, key in credited, count, share, *share_in_thirds(own, parts)))
    return found


def _revealed(
    figures: Figures, credited: Collection[str], worth: Sequence[Answered]
) -> dict[str, int]:
    """Return the counts that the figures of the question reveal already."""
    found = {each.key: each.count for each in figures.mistakes}
    if figures.omission is not None:
        found[NO_CHOICE] = round(figures.omission * figures.asked)
    whole = all(each.points in (0, each.out_of) for each in worth)
    if figures.facility is not None and len(credited) == 1 and whole:
        (right,) = credited
        found[right] = round(figures.facility * figures.asked)
    return found
