"""Edits of a text that a page makes: which mistakes a step keeps, and how they're worded."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

from attention_core.errors import AuthorError, FormulaError
from attention_core.formulas.text import read_lines

_KEY = re.compile("[A-Za-z][A-Za-z0-9_]*")
_INDENT = "    "


def edit_mistakes(
    text: str,
    step: str,
    *,
    without: Collection[str] = (),
    rewordings: Mapping[str, str] = MappingProxyType({}),
) -> str:
    r"""Return the text with exactly these mistakes of a step left out, and these reworded.

    The rest of the text stays as it is. If the step lists its mistakes, those left out now are
    taken from its list, and those that were left out before and are no longer are put there.

    Args:
        without: the keys of mistakes.
        rewordings: feedback by key; of mistakes that are left out, and where it's blank, none is
            written.

    Raises:
        FormulaError: the text has no such step, or its lines aren't understood.
        AuthorError: no mistake can have such a key.

    >>> text = "x, y: tenths(3)\ntotal = x + y\n"
    >>> edit_mistakes(text, "total", without=["subtracted"], rewordings={"no_y": "Add y too."})
    'x, y: tenths(3)\ntotal = x + y\n    without: subtracted\n    reword no_y: Add y too.\n'
    """
    found = next((entry for entry in read_lines(text).steps if entry.name == step), None)
    if not found:
        raise FormulaError(f"There’s no step {step}.", 1, 1)
    for key in (*without, *rewordings):
        if not _KEY.fullmatch(key):
            raise AuthorError(f"No mistake can have the key {key!r}.")
    new = {key: " ".join(re.split(r"\s*[\r\n\v\f\x85\u2028\u2029]+\s*", reworded)).strip()
           for key, reworded in rewordings.items() if key not in without}  # fmt: skip
    edited = _Edited({*without}, {key: value for key, value in new.items() if value})
    lines = text.split("\n")
    end = _end(lines, found.line)
    before, own, after = lines[: found.line], lines[found.line : end], lines[end:]
    freed = {key for key in found.keys("without") or () if key not in edited.without}
    changed = [*edited.changed(own, freed)]
    indented = [line for line in own if line[:1] in (" ", "\t")]
    indent = indented[0][: len(indented[0]) - len(indented[0].lstrip())] if indented else _INDENT
    changed += [indent + line for line in edited.missing()]
    return _joined([*before, *changed, *after], lines, "\r" if "\r\n" in text else "")


def _end(lines: list[str], start: int) -> int:
    """Return where the indented lines below a step end."""
    end = start
    for place in range(start, len(lines)):
        line = lines[place]
        if line.strip() and not line.startswith("#"):
            if line[0] not in " \t":
                break
            end = place + 1
    return end


def _joined(lines: list[str], before: list[str], ending: str) -> str:
    """Return the lines as a text, in which each but the last has the same ending as others."""
    kept = {*before[:-1]}
    joined = [line if line in kept else line.removesuffix("\r") + ending for line in lines[:-1]]
    last = lines[-1] if lines[-1] == before[-1] else lines[-1].removesuffix("\r")
    return "\n".join([*joined, last])


class _Edited:
    """The lines of one step, as they are and as they should be."""

    def __init__(self, without: set[str], rewordings: Mapping[str, str]) -> None:
        self.without, self.rewordings = without, rewordings
        self.written: set[str] = set()  # the keys reworded, and “without”

    def changed(self, lines: Iterable[str], freed: set[str]) -> Iterator[str]:
        """Yield the lines that there are, changed, without those that nothing needs."""
        for line in lines:
            head, colon, rest = line.partition(":")
            words = head.split()
            keys = re.findall(r"[^\s,]+", rest)
            if not colon or line.startswith("#") or not words:
                yield line
            elif words[0] == "mistakes":
                listed = [key for key in keys if key not in self.without]
                listed += sorted(freed - {*listed})
                yield line if listed == keys else f"{head}: {', '.join(listed)}".rstrip()
            elif words[0] == "without":
                self.written.add("without")
                if self.without:
                    left = [key for key in keys if key in self.without]
                    left += sorted(self.without - {*left})
                    yield line if left == keys else f"{head}: {', '.join(left)}"
            elif words[0] == "reword":
                key = words[1]
                if key in self.rewordings and f"reword {key}" not in self.written:
                    same = rest.strip() == self.rewordings[key]
                    yield line if same else f"{head}: {self.rewordings[key]}"
                self.written.add(f"reword {key}")
            else:
                yield line

    def missing(self) -> Iterator[str]:
        """Yield the lines that there aren't yet, not indented."""
        if self.without and "without" not in self.written:
            yield f"without: {', '.join(sorted(self.without))}"
        for key, reworded in self.rewordings.items():
            if f"reword {key}" not in self.written:
                yield f"reword {key}: {reworded}"
