"""Habits of language that a lecturer would not have, counted in lessons and questions."""

import re
from collections import Counter
from dataclasses import dataclass

# By what to write instead. Quotations and titles of papers are not searched.
TICS = {
    "because, or a new sentence (, as)": (
        r", as (?:it|they|we|you|that|this|there|these|those|the|an?|no|each|every|all|its|their"
        r"|both|only|one|two|its)\b(?! (?:saw|see|did|does|do|know|in)\b)"
    ),
    "because (since)": r"\b[Ss]ince\b(?! (?:19|20)\d\d)",
    "a noun (what it brings, what goes in)": (
        r"\b[Ww]hat(?:ever)? (?:it|they|he|she|is|was|are|were|goes|comes|came|went|stays|makes"
        r"|remains|matters|counts|has|had|each|every|one|the|an?)\b(?![^.?!]*\?)"
    ),
    "is, are, sits (stands)": r"\b(?:stands?|stood|standing)\b(?! for| out)",
    "a subject (That is … as an answer)": r"(?:^|\n *\n *)That (?:is|was|would be)\b",
    "a person (somebody, nobody)": r"\b(?:(?:[Ss]ome|[Nn]o|[Aa]ny|[Ee]very)body|[Ww]hoever)\b",
    "only (postposed alone)": r"\balone\b",
    "again (anew, afresh)": r"\b(?:anew|afresh)\b",
    "nothing (So it did)": r"\bSo (?:it|they|he|she|you|we) (?:did|does|do|is|are|was|were)\b",
    "about (said of)": r"\bsaid of\b",
    "pass, give (hand over)": r"\bhand(?:s|ed|ing)? over\b",
    "neighbours (company)": r"\bcompany\b",
}
_CONTRACTION = re.compile(
    r"\b(?:\w+n[’']t|\w+[’'](?:re|ve|ll|d|m)"
    r"|(?:it|that|there|here|what|let|he|she|who|where|how|this|when|one)[’']s)\b",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^(?P<fence>`{3,}).*?^(?P=fence)$", re.DOTALL | re.MULTILINE)
_FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL)
_TABLE = re.compile(r"^ *\|.*$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
# What starts a line of Markdown, and the title of a ::: block, which is a sentence by itself.
_MARKS = re.compile(r"^ *(?:[-*>] |\d+\. |#+ .*$|:{3,}(?: \w+)?)(?:\[[ x]\] )?", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])[”’\"*)]* +(?=[^a-z])|\n *\n|\n(?=- |\d+\. )")
_WORD = re.compile(r"[A-Za-z’'_]+")


@dataclass(frozen=True)
class Prose:
    """The running text of a piece of Markdown: no code, tables, displayed formulas or addresses."""

    text: str

    @classmethod
    def of(cls, markdown: str) -> "Prose":
        text = _TABLE.sub("", _FENCE.sub("\n\n", markdown))
        text = _FORMULA.sub(lambda found: "\n\n" if found[0][:2] == "$$" else "x", text)
        text = re.sub(r"^( *[-*] |\d+\. )", r"\n\n\1", text, flags=re.MULTILINE)
        return cls(_LINK.sub(r"\1", _MARKS.sub("", text)))

    @property
    def words(self) -> int:
        return len(_WORD.findall(self.text))

    @property
    def contractions(self) -> float:
        """Return how many there are in a thousand words."""
        return 1000 * len(_CONTRACTION.findall(self.text)) / max(1, self.words)

    @property
    def sentence_length(self) -> float:
        """Return the mean number of words of a sentence."""
        lengths = [len(_WORD.findall(each)) for each in _SENTENCE_END.split(self.text)]
        lengths = [length for length in lengths if length > 1]
        return sum(lengths) / max(1, len(lengths))

    @property
    def tics(self) -> Counter[str]:
        """Return how often each habit occurs."""
        return Counter(
            {name: len(re.findall(pattern, self.text)) for name, pattern in TICS.items()}
        )

    def places(self, name: str) -> list[str]:
        """Return the text around each occurrence of a habit."""
        return [
            " ".join(self.text[max(0, found.start() - 40) : found.end() + 40].split())
            for found in re.finditer(TICS[name], self.text)
        ]
