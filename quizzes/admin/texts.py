"""Markdown fields in admin forms."""

from django import forms

from foundation.refusals import add_refusals_to
from lessons.errors import ContentError
from lessons.rendering import check_markdown


def check_texts(form: forms.ModelForm, *names: str) -> None:
    """Add an error to each field with bad LaTeX or Markdown, naming the line."""
    for name in names:
        with add_refusals_to(form, ContentError, field=name):
            check_markdown(form.cleaned_data.get(name) or "")
