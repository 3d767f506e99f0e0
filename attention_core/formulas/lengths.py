"""Lengths of axes that know which size they stem from."""


class Length(int):
    """A whole number; `size` is the size's name, "" if it stems from none.

    >>> Length(3, "T"), Length(3, "T").size
    (3, 'T')
    """

    size: str

    def __new__(cls, value: int, size: str = "") -> "Length":
        length = super().__new__(cls, value)
        length.size = size
        return length


type Shape = tuple[Length, ...]


def in_words(shape: Shape) -> str:
    """Return a shape in words.

    >>> in_words(()), in_words((3,)), in_words((3, 2))
    ('a number', 'a vector of 3', '3 × 2')
    """
    if not shape:
        return "a number"
    return f"a vector of {shape[0]}" if len(shape) == 1 else " × ".join(map(str, shape))


def broadcast(*shapes: Shape) -> Shape:
    """Return the shape of several arrays combined cell by cell. Raise ValueError if they don't fit.

    >>> broadcast((3, 2), (2,), ())
    (3, 2)
    """
    rank = max(map(len, shapes))
    found: list[Length] = []
    for axis in range(-rank, 0):
        lengths = [shape[axis] for shape in shapes if len(shape) >= -axis]
        longest = max(lengths, key=lambda length: (length != 1, bool(getattr(length, "size", ""))))
        if any(length not in (1, longest) for length in lengths):
            raise ValueError(shapes)
        found.append(longest)
    return tuple(found)
