"""Measures of the machine and of each of its heads, on given sentences."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

import numpy as np

from attention_core.machine.grammar import WAYS, draw_sentence
from attention_core.machine.model import UNCHANGED, Change, Machine, Reading
from attention_core.machine.sentences import Sentence
from attention_core.machine.tokens import NUMBER_OF
from attention_core.maths.arrays import Array


@dataclass(frozen=True)
class Measure:
    """The share of blanks of one kind where the right word has the highest logit of its candidates.

    Attributes:
        kind: the kind of blank.
        asked: how many blanks there were.
        right: the share of them that was right.
        guessing: the share that would be right by guessing among the candidates.
    """

    kind: str
    asked: int
    right: float
    guessing: float


def draw_held_out(seed: int, count: int) -> list[Sentence]:
    """Draw `count` sentences, each way equally often.

    Training never saw them, except for statements of facts, such as capitals and opposites.

    >>> [str(drawn) for drawn in draw_held_out(1, 2)][1]
    'anna is hungry so she eats .'
    """
    random = Random(seed)
    ways = tuple(WAYS)
    return [draw_sentence(random, ways[n % len(ways)], held_out=True) for n in range(count)]


def measures(
    machine: Machine, sentences: Iterable[Sentence], *, change: Change = UNCHANGED
) -> list[Measure]:
    """Return how well the machine fills each kind of blank, in the order of their names.

    >>> from attention_core.machine.model import machine
    >>> [measure.kind for measure in measures(machine(), draw_held_out(1, 3))]
    ['cause', 'pronoun', 'to whom', 'verb past another number', 'whose thing']
    """
    right: dict[str, list[bool]] = defaultdict(list)
    guessing: dict[str, list[float]] = defaultdict(list)
    for drawn in sentences:
        logits = machine.read(drawn.words, change=change).logits
        for blank in drawn.blanks:
            row = logits[blank.place - 1]
            best = max(row[NUMBER_OF[word]] for word in blank.wrong)
            right[blank.kind].append(bool(row[NUMBER_OF[drawn.words[blank.place]]] > best))
            guessing[blank.kind].append(1 / (1 + len(blank.wrong)))
    return [
        Measure(kind, len(found), sum(found) / len(found), sum(guessing[kind]) / len(found))
        for kind, found in sorted(right.items())
    ]


def loss(machine: Machine, sentences: Iterable[Sentence]) -> tuple[float, float]:
    """Return the mean of −log p over all next words, in nats, and the share predicted first.

    Many words are drawn at random, so neither can be perfect.

    >>> from attention_core.machine.model import machine
    >>> nats, first = loss(machine(), draw_held_out(1, 4))
    >>> bool(0 < nats < np.log(len(NUMBER_OF))), 0 < first < 1
    (True, True)
    """
    nats, first = [], []
    for drawn in sentences:
        logits = machine.read(drawn.words).logits[:-1]
        wanted = [NUMBER_OF[word] for word in drawn.words[1:]]
        sums = np.logaddexp.reduce(logits, axis=-1)
        nats += (sums - logits[np.arange(len(wanted)), wanted]).tolist()
        first += (logits.argmax(axis=-1) == wanted).tolist()
    return float(np.mean(nats)), float(np.mean(first))


type Look = Callable[[Sentence, Reading], Iterable[tuple[int, int]]]


def _previous(drawn: Sentence, reading: Reading) -> Iterable[tuple[int, int]]:
    return ((t, t - 1) for t in range(2, len(drawn.words)))


def _start(drawn: Sentence, reading: Reading) -> Iterable[tuple[int, int]]:
    return ((t, 0) for t in range(2, len(drawn.words)))


def _same_word(drawn: Sentence, reading: Reading) -> Iterable[tuple[int, int]]:
    words = drawn.words
    return (
        (t, s) for t in range(2, len(words)) for s in range(1, t) if words[s] == words[t] != "the"
    )


def _because(*kinds: str) -> Look:
    """Return a look from the token that predicts a blank to the word from which it follows."""

    def look(drawn: Sentence, reading: Reading) -> Iterable[tuple[int, int]]:
        return (
            (blank.place - 1, blank.because)
            for blank in drawn.blanks
            # Any head may look at the token itself and the one before it: those pairs say nothing.
            if blank.kind in kinds and blank.place - 1 > blank.because + 1
        )

    return look


# Named pairs of tokens, from which and to which a head may look.
LOOKS: dict[str, Look] = {
    "the word before": _previous,
    "<start>": _start,
    "the same word, earlier": _same_word,
    "a verb's subject": _because("verb", "verb past another number"),
    "who a pronoun refers to": _because("pronoun"),
    "the word to repeat": _because("repetition"),
    "the thing the giver has": _because("whose thing"),
    "to whom": _because("to whom"),
    "the city someone lives in": _because("whose country"),
    "the cause": _because("cause"),
}


def where_heads_look(machine: Machine, sentences: Iterable[Sentence]) -> dict[str, Array]:
    """Return the mean weight that each head gives to the token pairs of each look.

    Returns:
        (layers, h) for each of `LOOKS`; NaN where no sentence has such a pair of tokens.

    >>> from attention_core.machine.model import machine
    >>> found = where_heads_look(machine(), draw_held_out(1, 2))
    >>> found["the word before"].shape == (len(machine().layers), machine().heads)
    True
    """
    found: dict[str, list[Array]] = defaultdict(list)
    for drawn in sentences:
        reading = machine.read(drawn.words)
        weights = reading.weights
        for name, look in LOOKS.items():
            found[name] += [weights[:, :, t, s] for t, s in look(drawn, reading)]
    nothing = np.full((len(machine.layers), machine.heads), np.nan)
    return {name: np.mean(found[name], axis=0) if found[name] else nothing for name in LOOKS}


def without_each_head(
    machine: Machine, sentences: Iterable[Sentence]
) -> dict[tuple[int, int], list[Measure]]:
    """Return, by (layer, head), the measures with that head's output set to zero.

    >>> from attention_core.machine.model import machine
    >>> found = without_each_head(machine(), draw_held_out(1, 1))
    >>> len(found) == len(machine().layers) * machine().heads
    True
    """
    sentences = list(sentences)
    return {
        (n, head): measures(machine, sentences, change=Change(heads=frozenset({(n, head)})))
        for n in range(len(machine.layers))
        for head in range(machine.heads)
    }
