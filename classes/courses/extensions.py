"""Additions of other apps to the page of one's classes, as those of homes in `quizzes/home/`."""

_templates: list[str] = []


def register(template: str) -> None:
    """Show this template, too, to whoever teaches a class."""
    _templates.append(template)


def templates() -> list[str]:
    """Return the templates that other apps add to the page."""
    return [*_templates]
