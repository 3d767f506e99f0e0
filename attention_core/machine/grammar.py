"""The language that the machine was trained on: ten ways of writing a sentence.

The ways are drawn at random, and so are the words; but in every sentence some words follow from
earlier ones: the form of a verb from its subject, a pronoun from its noun, a sum from its numbers.
These are *blanks*. They show what there is to learn, what the machine did learn, and at which word
a head would have to look.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random

from attention_core.machine.sentences import Pen, Sentence, Subject
from attention_core.machine.words import (
    ANIMALS,
    BE,
    BESIDE,
    CAPITALS,
    COLOURS,
    FEELINGS,
    INTRANSITIVE,
    NAMES,
    NUMBERS,
    OBJECT_PRONOUNS,
    OF_ANYTHING,
    OF_THE_LIVING,
    OF_THINGS,
    OPPOSITES,
    PEOPLE,
    PRONOUNS,
    THINGS,
    TRANSITIVE,
    Noun,
    Verb,
)

# The tokens that a text has at most, <start> included.
MAX_TOKENS = 24
# One sentence of so many is kept from training, whatever its words.
HELD_OUT_EVERY = 10
# The chance that a text goes on with another sentence, where there is room.
CONTINUATION_CHANCE = 0.6

LIVING = (*PEOPLE, *ANIMALS)
ADJECTIVES = tuple(adjective for pair in OPPOSITES for adjective in pair)
# The words that people are quoted with.
REPEATABLE_WORDS = (*(noun.one for noun in (*ANIMALS, *THINGS)), *COLOURS, *ADJECTIVES, *NUMBERS)


def _both_ways(pairs: Iterable[Sequence[str]]) -> Iterator[tuple[tuple[str, str], ...]]:
    there = tuple((a, b) for a, b in pairs)
    yield from (there, tuple((b, a) for a, b in there))


# The relations between two words.
RELATIONS = (
    *_both_ways((he.one, she.one) for he, she in zip(PEOPLE[::2], PEOPLE[1::2], strict=True)),
    *_both_ways(noun[:2] for noun in LIVING),
    *_both_ways(OPPOSITES),
    *_both_ways(CAPITALS.items()),
)


def agreeing(pen: Pen) -> None:
    """Write a sentence whose verb agrees with its subject, not with the nearest noun.

    >>> print(draw_sentence(Random(13), agreeing))
    the good birds near the men run today .
    """
    lives = pen.random.random() < 0.7
    nouns = LIVING if lives else THINGS
    subject = nearest = _noun(pen, nouns)
    match pen.random.randrange(5):
        case 0:
            pen.write("and")
            _noun(pen, nouns)
            subject = nearest = Subject(False, "they", subject.place)
        case 1 | 2:
            for _ in range(1 + pen.coin()):
                pen.write(pen.random.choice(BESIDE))
                nearest = _noun(pen, (*LIVING, *THINGS))
        case 3 if lives:
            nearest = _clause(pen, subject)
    kind = "verb" if nearest.one == subject.one else "verb past another number"
    if pen.coin():
        _verb(pen, subject, BE, kind)
        pen.write(pen.random.choice((*OF_ANYTHING, *_fitting(lives))))
    elif pen.coin() or not lives:
        _verb(pen, subject, pen.random.choice(INTRANSITIVE if lives else INTRANSITIVE[:1]), kind)
        pen.write(pen.random.choice(("", "now", "today")))
    else:
        _verb(pen, subject, pen.random.choice(TRANSITIVE), kind)
        _noun(pen, LIVING)


def feeling(pen: Pen) -> None:
    """Write a sentence in which a feeling has its effect, and a pronoun its noun.

    >>> print(draw_sentence(Random(0), feeling))
    the boy is happy so he sings .
    """
    if pen.coin():
        name = pen.random.choice(tuple(NAMES))
        subject = Subject(True, NAMES[name], pen.write(name))
    else:
        subject = _noun(pen, LIVING, plain=True)
        if pen.coin():
            pen.write(pen.random.choice(BESIDE))
            _noun(pen, LIVING, plain=True)
    feels = pen.random.choice(tuple(FEELINGS))
    does = FEELINGS[feels]
    if pen.coin():
        pen.write(subject.form(BE))
        cause = pen.write(f"{feels} so") - 1
        pen.infer("pronoun", subject.pronoun, *PRONOUNS, because=subject.place)
        others = (subject.form(verb) for verb in FEELINGS.values())
        pen.infer("cause", subject.form(does), *others, because=cause)
    else:
        effect = pen.write(subject.form(does))
        pen.write("because")
        pen.infer("pronoun", subject.pronoun, *PRONOUNS, because=subject.place)
        pen.write(subject.form(BE))
        pen.infer("cause", feels, *FEELINGS, because=effect)


def giving(pen: Pen) -> None:
    """Write a sentence in which one of two people gives their thing to the other.

    >>> print(draw_sentence(Random(0), giving))
    paul has a cup and tom has a ball so tom gives the ball to paul .
    """
    names = pen.two(tuple(NAMES))
    things = pen.two(tuple(thing.one for thing in THINGS))
    first, second = (
        (pen.write(name), pen.write(f"has a {thing}{joint}"))
        for name, thing, joint in zip(names, things, (" and", " so"), strict=True)
    )
    has = (first[1] - 1, second[1] - 1)
    giver = pen.random.randrange(2)
    called, receiver = names[giver], names[1 - giver]
    if NAMES[called] != NAMES[receiver] and pen.random.random() < 0.7:
        called, receiver = NAMES[called], OBJECT_PRONOUNS[NAMES[receiver]]
    pen.write(f"{called} gives the")
    pen.infer("whose thing", things[giver], *things, because=has[giver])
    pen.write("to")
    both = OBJECT_PRONOUNS.values() if receiver in OBJECT_PRONOUNS.values() else names
    pen.infer("to whom", receiver, *both, because=(first, second)[1 - giver][0])


def painting(pen: Pen) -> None:
    """Write a sentence in which each noun keeps its colour.

    >>> print(draw_sentence(Random(0), painting))
    the box is green and the cat is red so the cat is red and the box is green .
    """
    count = 2 + pen.coin()
    nouns = pen.random.sample(tuple(noun.one for noun in (*ANIMALS, *THINGS)), count)
    colours = pen.random.sample(COLOURS, count)
    joints = (*[" and"] * (count - 1), " so")
    places = [
        pen.write(f"the {noun} is {colour}{joint}") - 1
        for noun, colour, joint in zip(nouns, colours, joints, strict=True)
    ]
    # There is room to ask twice of two, or once of three.
    for n, which in enumerate(pen.random.sample(range(count), 4 - count)):
        pen.write(f"{'and' if n else ''} the {nouns[which]} is")
        pen.infer("whose colour", colours[which], *colours, because=places[which])


def living(pen: Pen) -> None:
    """Write a sentence in which two people live in the countries of their cities.

    >>> print(draw_sentence(Random(0), living))
    paul lives in paris and tom lives in cairo so tom lives in egypt and paul lives in france .
    """
    names, cities = pen.two(tuple(NAMES)), pen.two(tuple(CAPITALS))
    homes = [
        pen.write(f"{name} lives in {city}{joint}") - 1
        for name, city, joint in zip(names, cities, (" and", " so"), strict=True)
    ]
    countries = [CAPITALS[city] for city in cities]
    first = pen.random.randrange(2)
    by_pronouns = NAMES[names[0]] != NAMES[names[1]] and pen.coin()
    for which in (first, 1 - first):
        called = NAMES[names[which]] if by_pronouns else names[which]
        pen.write(f"{'' if which == first else 'and'} {called} lives in")
        pen.infer("whose country", countries[which], *countries, because=homes[which])


def governing(pen: Pen) -> None:
    """Write a sentence with a country and its capital.

    >>> print(draw_sentence(Random(0), governing))
    the capital of france is paris .
    """
    city, country = pen.random.choice(tuple(CAPITALS.items()))
    if pen.coin():
        place = pen.write(city)
        pen.write("is the capital of")
        pen.infer("capital", country, *CAPITALS.values(), because=place)
    else:
        place = pen.write(f"the capital of {country}")
        pen.write("is")
        pen.infer("capital", city, *CAPITALS, because=place)


def opposing(pen: Pen) -> None:
    """Write a sentence with an adjective and its opposite.

    >>> print(draw_sentence(Random(0), opposing))
    the opposite of poor is rich .
    """
    word, other = _either_way(pen, pen.random.choice(OPPOSITES))
    place = pen.write(f"the opposite of {word}")
    pen.write("is")
    pen.infer("opposite", other, *ADJECTIVES, because=place)


def comparing(pen: Pen) -> None:
    """Write an analogy, in which the first pair sets the relation: boy to boys as cat to cats.

    >>> print(draw_sentence(Random(0), comparing))
    paris is to france as cairo is to egypt .
    """
    relation = pen.random.choice(RELATIONS)
    (a, b), (c, d) = pen.two(relation)
    pen.write(f"{a} is to {b} as")
    place = pen.write(c)
    pen.write("is to")
    elsewhere = (to for other in RELATIONS for word, to in other if word == c)
    pen.infer("likeness", d, *(to for _, to in relation), *elsewhere, because=place)


def adding(pen: Pen) -> None:
    """Write a sum or a difference of whole numbers up to twelve.

    >>> print(draw_sentence(Random(0), adding))
    seven plus one is eight .
    """
    total = pen.random.randrange(2, len(NUMBERS))
    part = pen.random.randrange(1, total + 1)
    if pen.coin():
        part = min(part, total - 1)
        place = pen.write(f"{NUMBERS[part]} plus {NUMBERS[total - part]}")
        result = NUMBERS[total]
    else:
        place = pen.write(f"{NUMBERS[total]} minus {NUMBERS[part]}")
        result = NUMBERS[total - part]
    pen.write("is")
    pen.infer("sum", result, *NUMBERS, because=place)


def repeating(pen: Pen) -> None:
    """Write a sentence in which two people say the same words.

    >>> print(draw_sentence(Random(0), repeating))
    paul says bird small one zero old and tom says bird small one zero old .
    """
    first, second = pen.two(tuple(NAMES))
    words = pen.random.sample(REPEATABLE_WORDS, pen.random.randrange(2, 6))
    begin = pen.write(f"{first} says") + 1
    pen.write(" ".join(words))
    pen.write(f"and {second} says")
    for offset, word in enumerate(words):
        pen.infer("repetition", word, *REPEATABLE_WORDS, because=begin + offset)


type Way = Callable[[Pen], None]
# Weights in the draw of a way.
WAYS: dict[Way, int] = {
    agreeing: 4,
    feeling: 2,
    giving: 7,
    living: 6,
    painting: 6,
    governing: 1,
    opposing: 1,
    comparing: 2,
    adding: 2,
    repeating: 3,
}
# Facts appear in one sentence only: if it were held out, the fact could not be known.
_FACTS = {governing, opposing}


def draw_sentence(random: Random, way: Way | None = None, *, held_out: bool = False) -> Sentence:
    """Draw a sentence that training may use, or one that was kept from it.

    Args:
        random: the source of randomness.
        way: one of the ways; drawn by the weights in `WAYS` unless given.
        held_out: draw one that the machine has never read. Facts, which cannot be known without
            reading them, are never held out.

    >>> from random import Random
    >>> drawn = draw_sentence(Random(3), giving)
    >>> str(drawn)
    'sara has a hat and ben has a book so ben gives the book to sara .'
    >>> drawn.blanks[0].kind, drawn.words[drawn.blanks[0].place], drawn.blanks[0].wrong
    ('whose thing', 'book', ('hat',))
    """
    if way is None:
        (way,) = random.choices(tuple(WAYS), tuple(WAYS.values()))
    while True:
        pen = Pen(random)
        way(pen)
        drawn = pen.finished()
        if way in _FACTS or is_held_out(drawn) == held_out:
            return drawn


def is_held_out(drawn: Sentence) -> bool:
    """Return whether training never sees this sentence; its words alone decide.

    >>> from random import Random
    >>> [is_held_out(draw_sentence(Random(1), adding, held_out=held)) for held in (False, True)]
    [False, True]
    """
    digest = hashlib.blake2b(str(drawn).encode(), digest_size=4).digest()
    return int.from_bytes(digest) % HELD_OUT_EVERY == 0


def draw_texts(random: Random) -> Iterator[Sentence]:
    """Yield the texts of training, without end: a sentence, or several while there is room.

    >>> from random import Random
    >>> words = next(draw_texts(Random(1))).words
    >>> words[0], words[-1], len(words) <= MAX_TOKENS
    ('<start>', '.', True)
    """
    while True:
        text = draw_sentence(random)
        while random.random() < CONTINUATION_CHANCE:
            more = draw_sentence(random)
            if len(text.words) + len(more.words) - 1 > MAX_TOKENS:
                break
            text = text.followed_by(more)
        yield text


def _noun(pen: Pen, nouns: tuple[Noun, ...], *, plain: bool = False) -> Subject:
    """Write a noun phrase, such as “the old key” or “the keys”. Return it as a subject."""
    noun = pen.random.choice(nouns)
    adjectives = (*OF_ANYTHING, *_fitting(noun in LIVING))
    adjective = "" if plain or pen.random.random() < 0.7 else pen.random.choice(adjectives)
    one = pen.coin()
    place = pen.write(f"the {adjective} {noun.one if one else noun.many}")
    return Subject(one, noun.pronoun if one else "they", place)


def _fitting(lives: bool) -> tuple[str, ...]:
    """Return the adjectives that fit the living alone, or things alone."""
    return OF_THE_LIVING if lives else (*OF_THINGS, *COLOURS)


def _verb(pen: Pen, subject: Subject, verb: Verb, kind: str) -> None:
    pen.infer(kind, subject.form(verb), *verb, because=subject.place)


def _clause(pen: Pen, subject: Subject) -> Subject:
    """Write “that the dogs chase” or “that chases the dogs”. Return its nearest noun."""
    pen.write("that")
    verb = pen.random.choice(TRANSITIVE)
    if pen.coin():
        inner = _noun(pen, LIVING, plain=True)
        _verb(pen, inner, verb, "verb")
        return inner
    _verb(pen, subject, verb, "verb")
    return _noun(pen, LIVING, plain=True)


def _either_way(pen: Pen, pair: tuple[str, str]) -> tuple[str, str]:
    return pair if pen.coin() else (pair[1], pair[0])
