"""Markdown fields in admin forms."""

from django import forms

from lessons.rendering import find_errors


def check_texts(form: forms.ModelForm, *names: str) -> None:
    """Add each error in the LaTeX or Markdown of these fields, naming its line."""
    for name in names:
        errors, _rest = find_errors(form.cleaned_data.get(name) or "")
        for error in errors:
            form.add_error(name, str(error))
