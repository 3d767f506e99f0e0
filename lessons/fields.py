"""The field that holds what authors write."""

from django.core.exceptions import ValidationError
from django.db import models

from lessons.errors import ContentError
from lessons.rendering import check_markdown


class MarkdownError(ValidationError):
    """A text that could not be shown; `wrong` says on which of its lines."""

    def __init__(self, wrong: ContentError):
        super().__init__(str(wrong), code="markdown")
        self.wrong = wrong


def validate_markdown(text: str) -> None:
    """Refuse a text that could not be shown, naming the line that is wrong."""
    try:
        check_markdown(text)
    except ContentError as error:
        raise MarkdownError(error) from None


class MarkdownField(models.TextField):
    """Markdown that can be shown. Browsers send other line ends than files have: one is kept."""

    default_validators = [validate_markdown]

    def to_python(self, value):
        text = super().to_python(value)
        return text.replace("\r\n", "\n").strip() if text else text
