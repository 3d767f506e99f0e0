"""The model field for Markdown."""

from django.core.exceptions import ValidationError
from django.db import models

from lessons.errors import ContentError
from lessons.rendering import find_errors


class MarkdownError(ValidationError):
    """A ValidationError for a text that could not be shown; `wrong` has its line."""

    def __init__(self, wrong: ContentError):
        super().__init__(str(wrong), code="markdown")
        self.wrong = wrong


def validate_markdown(text: str) -> None:
    """Raise ValidationError for a text that could not be shown: a MarkdownError for each fault."""
    errors, _rest = find_errors(text)
    if errors:
        raise ValidationError([MarkdownError(error) for error in errors])


class MarkdownField(models.TextField):
    """A text field for valid Markdown. It converts browsers' CRLF to plain newlines."""

    default_validators = [validate_markdown]

    def to_python(self, value):
        text = super().to_python(value)
        return text.replace("\r\n", "\n").strip() if text else text
