"""Figures of a quiz's slots, and of the questions that each asked. No database.

A slot may have asked several questions: those of a topic, or what it asked before it was changed.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from quizzes.analysis.statistics import NO_MINIMUM, Answered, Figures, question_figures


@dataclass(frozen=True)
class SlotFigures[Key: Hashable]:
    """The figures of a slot, by its number, and of each question as far as it was asked there.

    `asked` are all its questions, the most frequent first.
    """

    position: int
    figures: Figures
    asked: Sequence[Key]
    questions: Mapping[Key, Figures]


@dataclass(frozen=True)
class QuizFigures[Key: Hashable]:
    """The figures of each slot, and of each question wherever it was asked.

    With a minimum, questions are left out that share a slot or have several: the difference between
    their figures and those of the slot might be about few students. The slots share no answer.
    """

    slots: Sequence[SlotFigures[Key]]
    questions: Mapping[Key, Figures]


def quiz_figures[Key: Hashable](
    answers: Mapping[Key, Sequence[Answered]], fewest: int
) -> QuizFigures[Key]:
    """Return the figures of a quiz from the answers to each question."""
    places = _by_slot(answers)
    in_one_slot = {
        key
        for asked in places.values()
        for key, own in asked.items()
        if len(own) == len(answers[key])
    }
    alone = {key for asked in places.values() for key in asked if len(asked) == 1} & in_one_slot
    shows_all = fewest == NO_MINIMUM
    questions = {
        key: question_figures(own, fewest)
        for key, own in answers.items()
        if shows_all or key in alone
    }
    slots = []
    for position, asked in places.items():
        order = sorted(asked, key=lambda key, asked=asked: -len(asked[key]))
        own = {
            key: questions[key]
            if key in in_one_slot
            else question_figures(asked[key], fewest, with_mistakes=False)
            for key in order
            if shows_all or key in alone
        }
        if len(asked) == 1 and own:
            whole = own[order[0]]
        else:
            every = list(chain.from_iterable(asked.values()))
            whole = question_figures(every, fewest, with_mistakes=False)
        slots.append(SlotFigures(position, whole, order, own))
    return QuizFigures(slots, questions)


def _by_slot[Key: Hashable](
    answers: Mapping[Key, Sequence[Answered]],
) -> dict[int, dict[Key, list[Answered]]]:
    found: dict[int, dict[Key, list[Answered]]] = {}
    for key, own in answers.items():
        for each in own:
            found.setdefault(each.position, {}).setdefault(key, []).append(each)
    return dict(sorted(found.items()))
