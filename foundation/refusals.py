"""Refusals of services as form errors."""

from collections.abc import Iterator
from contextlib import contextmanager

from django import forms


@contextmanager
def add_refusals_to(
    form: forms.BaseForm, *kinds: type[Exception], field: str | None = None
) -> Iterator[None]:
    """Turn a refusal of one of these kinds into an error of the field, or of the whole form."""
    try:
        yield
    except kinds as refusal:
        form.add_error(field, str(refusal))
