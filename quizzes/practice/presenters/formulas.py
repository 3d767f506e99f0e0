"""The formula sheet: the formulas of the families, under the lessons that teach them."""

from collections.abc import Mapping

from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from lessons.models import Lesson, Section
from quizzes import problems
from quizzes.items.presenters import texts

# One notation for all of them: a formula in TeX with its meaning.
SYMBOLS = (
    ("$T$", gettext_lazy("the number of tokens")),
    (r"$d_{\text{model}}$", gettext_lazy("the width of a token’s vector")),
    (r"$d_k$, $d_v$", gettext_lazy("the widths of a key and of a value")),
    ("$h$", gettext_lazy("the number of heads")),
    ("$X$, $Q$, $K$, $V$", gettext_lazy("embeddings, queries, keys, values: a row for each token")),
    ("$W_Q$, $W_K$, $W_V$, $W_O$", gettext_lazy("learned matrices: rows times these")),
    (r"$s_{ij}$, $a_{ij}$", gettext_lazy("score and weight of query $i$ and key $j$")),
    ("$z_i$", gettext_lazy("the output of token $i$")),
    (r"$\mu$, $\sigma$", gettext_lazy("mean and standard deviation of one row")),
)


def symbols() -> list[tuple[SafeString, SafeString]]:
    """Return each symbol with its meaning."""
    return [(texts.render_line(symbol), texts.render_line(str(says))) for symbol, says in SYMBOLS]


type Entry = tuple[str, list[SafeString], Section]


def formula_sheet(homes: Mapping[str, Section]) -> dict[Lesson, list[Entry]]:
    """Return every formula once, in the lesson that teaches it first.

    An entry is a family's title, its formulas and its section; `homes` maps families to their
    sections.
    """
    taught = sorted(
        ((section, key) for key, section in homes.items() if problems.is_family(key)),
        key=lambda pair: (pair[0].lesson.order, pair[0].lesson_id, pair[0].order),
    )
    seen: set[str] = set()
    lessons: dict[Lesson, list[Entry]] = {}
    for section, key in taught:
        new = [formula for formula in problems.formulas_of(key) if formula not in seen]
        seen.update(new)
        if new:
            entry = (problems.family_title(key), [*map(texts.render_formula, new)], section)
            lessons.setdefault(section.lesson, []).append(entry)
    return lessons
