"""Forms that say why a service has refused what they ask for."""

from collections.abc import Iterator
from contextlib import contextmanager

from django import forms


@contextmanager
def refusals_at(
    form: forms.BaseForm, *kinds: type[Exception], field: str | None = None
) -> Iterator[None]:
    """Tell a refusal of one of these kinds at the field, or at the whole form, and go on."""
    try:
        yield
    except kinds as refusal:
        form.add_error(field, str(refusal))
