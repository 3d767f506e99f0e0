"""What the admin and the loader refuse to store, told at the field."""

from django.core.exceptions import ValidationError

from lessons.errors import AuthorError
from lessons.rendering import check_markdown


def validate_markdown(text: str) -> None:
    """Refuse a text that could not be shown, naming the line that is wrong."""
    try:
        check_markdown(text)
    except AuthorError as error:
        raise ValidationError(str(error), code="markdown") from None
