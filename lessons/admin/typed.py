"""What a lesson's form holds while it is being written, saved or not."""

from collections.abc import Iterator, Mapping

from lessons.authoring.references import Known
from lessons.models import Word


def known_in(data: Mapping[str, str]) -> Known:
    """What the texts of this form may refer to: its own sections and words, as they are typed."""
    words = typed_words(data)
    return Known(
        slug=data.get("slug", ""),
        sections=[row["slug"] for row in typed_rows(data, "sections", "slug")],
        words=[form for word in words for form in (word.term, *word.other_forms)],
    )


def typed_words(data: Mapping[str, str]) -> list[Word]:
    """The glossary as it is typed."""
    return [
        Word(**row) for row in typed_rows(data, "words", "term", "forms", "meaning") if row["term"]
    ]


def typed_rows(data: Mapping[str, str], prefix: str, *names: str) -> Iterator[dict[str, str]]:
    """The rows of an inline form that are not to be deleted."""
    count = data.get(f"{prefix}-TOTAL_FORMS", "0")[:4]
    for number in range(min(int(count), 1000) if count.isdecimal() else 0):
        row = f"{prefix}-{number}"
        if not data.get(f"{row}-DELETE"):
            yield {name: data.get(f"{row}-{name}", "").strip() for name in names}
