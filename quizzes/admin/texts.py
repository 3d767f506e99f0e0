"""Authors' Markdown in forms."""

from django import forms

from lessons.errors import ContentError
from lessons.rendering import check_markdown


def check_texts(form: forms.ModelForm, *names: str) -> None:
    """Tell the author of bad LaTeX or Markdown at its field, with the line."""
    for name in names:
        try:
            check_markdown(form.cleaned_data.get(name) or "")
        except ContentError as wrong:
            form.add_error(name, str(wrong))
