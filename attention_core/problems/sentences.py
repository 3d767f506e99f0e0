"""Small real sentences by number of words, which give tokens their names."""

_BY_HAND = """
Thinking Machines
Rain fell
Birds sing
Bread rises
Rivers bend
Snow melts
Bells ring
Leaves turn
Wolves howl
Ships sail
Candles flicker
Clocks tick
Cats chase mice
The kettle whistles
She paints clouds
Old trains rattle
He bakes bread
Waves carve cliffs
The baker sings
Bees find clover
Strong winds shift
Nobody likes Mondays
The harbour sleeps
We plant oaks
The cat sat down
A child draws stars
The bank was closed
Storms wake the sea
My sister plays chess
Late buses annoy everyone
The river floods fields
Good tea takes patience
The old clock stopped
She reads his letters
Every mouse fears cats
The elephant is large
The cat chased a mouse
Our neighbour grows sweet peas
The pilot saw the storm
An owl watched the barn
The judge read both letters
He left before the rain
The keyboard lost a key
Two friends shared one umbrella
The animal crossed the street
Light bends in clear water
The tired nurse went home
Music fills the empty hall
"""


def _by_length(text: str) -> dict[int, tuple[tuple[str, ...], ...]]:
    sentences: dict[int, list[tuple[str, ...]]] = {}
    for line in text.strip().splitlines():
        words = tuple(line.split())
        # Words label rows and columns, so none may appear twice.
        if len({word.lower() for word in words}) == len(words):
            sentences.setdefault(len(words), []).append(words)
    return {length: tuple(group) for length, group in sentences.items()}


SENTENCES = _by_length(_BY_HAND)
