"""Registry of templates that other apps add to the page with a user's classes."""

_templates: list[str] = []


def register(template: str) -> None:
    """Add a template to the page."""
    _templates.append(template)


def templates() -> list[str]:
    """Return the registered templates."""
    return [*_templates]
