"""The model field for Markdown."""

from django.core.exceptions import ValidationError
from django.db import models

from lessons.errors import ContentError
from lessons.rendering import check_markdown


class MarkdownError(ValidationError):
    """A ValidationError for a text that could not be shown; `wrong` has its line."""

    def __init__(self, wrong: ContentError):
        super().__init__(str(wrong), code="markdown")
        self.wrong = wrong


def validate_markdown(text: str) -> None:
    """Raise MarkdownError for a text that could not be shown, with the line that is wrong."""
    try:
        check_markdown(text)
    except ContentError as error:
        raise MarkdownError(error) from None


class MarkdownField(models.TextField):
    """A text field for valid Markdown. It converts browsers' CRLF to plain newlines."""

    default_validators = [validate_markdown]

    def to_python(self, value):
        text = super().to_python(value)
        return text.replace("\r\n", "\n").strip() if text else text
