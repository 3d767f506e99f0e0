"""What others add to the page of one's classes, as `quizzes/home/extensions.py` does for a home."""

_templates: list[str] = []


def register(template: str) -> None:
    """Show this template, too, to whoever teaches a class."""
    _templates.append(template)


def templates() -> list[str]:
    """What others show to whoever teaches a class."""
    return [*_templates]
