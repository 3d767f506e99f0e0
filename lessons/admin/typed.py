"""The data in a lesson's form while it is being written, saved or not."""

from collections.abc import Iterator, Mapping

from lessons.authoring.references import KnownReferences
from lessons.models import Word


def known_references(data: Mapping[str, str]) -> KnownReferences:
    """Return what this form's texts can refer to, with its own sections and words as typed."""
    words = typed_words(data)
    return KnownReferences(
        slug=data.get("slug", ""),
        sections=[row["slug"] for row in typed_rows(data, "sections", "slug")],
        words=[form for word in words for form in (word.term, *word.other_forms)],
    )


def typed_words(data: Mapping[str, str]) -> list[Word]:
    """Return the glossary as typed."""
    return [
        Word(**row) for row in typed_rows(data, "words", "term", "forms", "meaning") if row["term"]
    ]


def typed_rows(data: Mapping[str, str], prefix: str, *names: str) -> Iterator[dict[str, str]]:
    """Yield the rows of an inline formset that are not to be deleted."""
    count = data.get(f"{prefix}-TOTAL_FORMS", "0")[:4]
    for number in range(min(int(count), 1000) if count.isdecimal() else 0):
        row = f"{prefix}-{number}"
        if not data.get(f"{row}-DELETE"):
            yield {name: data.get(f"{row}-{name}", "").strip() for name in names}
