"""The machine's vocabulary, sorted by the roles that words have in the grammar.

A token is a word. Words that are not listed here cannot be read.
"""

from typing import NamedTuple

START, STOP = "<start>", "."


class Noun(NamedTuple):
    """A noun in the singular and plural, and the pronoun for one."""

    one: str
    many: str
    pronoun: str


class Verb(NamedTuple):
    """A verb in the singular (she sleeps) and plural (they sleep)."""

    one: str
    many: str


PEOPLE = (
    Noun("king", "kings", "he"),
    Noun("queen", "queens", "she"),
    Noun("prince", "princes", "he"),
    Noun("princess", "princesses", "she"),
    Noun("man", "men", "he"),
    Noun("woman", "women", "she"),
    Noun("boy", "boys", "he"),
    Noun("girl", "girls", "she"),
)
ANIMALS = (
    Noun("cat", "cats", "it"),
    Noun("dog", "dogs", "it"),
    Noun("bird", "birds", "it"),
    Noun("horse", "horses", "it"),
)
THINGS = (
    Noun("ball", "balls", "it"),
    Noun("book", "books", "it"),
    Noun("box", "boxes", "it"),
    Noun("cup", "cups", "it"),
    Noun("hat", "hats", "it"),
    Noun("key", "keys", "it"),
)
NAMES = {
    **dict.fromkeys(("anna", "lucy", "mary", "sara"), "she"),
    **dict.fromkeys(("ben", "jack", "paul", "tom"), "he"),
}
OBJECT_PRONOUNS = {"he": "him", "she": "her"}
PRONOUNS = ("he", "she", "it", "they")

BE = Verb("is", "are")
INTRANSITIVE = (
    Verb("falls", "fall"),
    Verb("runs", "run"),
    Verb("sings", "sing"),
    Verb("sleeps", "sleep"),
    Verb("waits", "wait"),
)
TRANSITIVE = (Verb("chases", "chase"), Verb("likes", "like"), Verb("sees", "see"))
# Feelings, and what people do who have them.
FEELINGS = {
    "tired": Verb("sleeps", "sleep"),
    "hungry": Verb("eats", "eat"),
    "thirsty": Verb("drinks", "drink"),
    "happy": Verb("sings", "sing"),
    "late": Verb("runs", "run"),
}
OPPOSITES = (
    ("big", "small"),
    ("fast", "slow"),
    ("good", "bad"),
    ("hot", "cold"),
    ("long", "short"),
    ("old", "young"),
    ("rich", "poor"),
    ("strong", "weak"),
)
OF_ANYTHING = ("bad", "big", "good", "old", "small")
OF_THE_LIVING = ("fast", "poor", "rich", "slow", "strong", "weak", "young")
OF_THINGS = ("cold", "hot", "long", "short")
COLOURS = ("black", "blue", "green", "red", "white")
BESIDE = ("behind", "near", "under", "with")

CAPITALS = {
    "cairo": "egypt",
    "havana": "cuba",
    "lima": "peru",
    "london": "england",
    "madrid": "spain",
    "oslo": "norway",
    "paris": "france",
    "rome": "italy",
    "tokyo": "japan",
    "vienna": "austria",
}
NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)

# Function words, and words that only some ways use.
FUNCTION_WORDS = (
    *("the", "a", "and", "that", "so", "because", "of", "to", "as", "in", "plus", "minus"),
    *("has", "gives", "lives", "says", "capital", "opposite", "now", "today"),
)


def _every_word() -> tuple[str, ...]:
    nouns = (*PEOPLE, *ANIMALS, *THINGS)
    verbs = (BE, *INTRANSITIVE, *TRANSITIVE, *FEELINGS.values())
    every = (
        *(START, STOP),
        *FUNCTION_WORDS,
        *(form for noun in nouns for form in (noun.one, noun.many)),
        *NAMES,
        *PRONOUNS,
        *OBJECT_PRONOUNS.values(),
        *(form for verb in verbs for form in verb),
        *FEELINGS,
        *(adjective for pair in OPPOSITES for adjective in pair),
        *COLOURS,
        *BESIDE,
        *(name for pair in CAPITALS.items() for name in pair),
        *NUMBERS,
    )
    return tuple(dict.fromkeys(every))


# A word's place is its row of the embedding matrix: it never changes.
VOCABULARY = _every_word()
