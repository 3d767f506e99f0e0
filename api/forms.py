"""The form for a new token."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from api.models import MAX_NAME_LENGTH, Token
from classes.models import Course

DAYS = {
    30: gettext_lazy("30 days"),
    90: gettext_lazy("90 days"),
    180: gettext_lazy("half a year"),
    365: gettext_lazy("a year"),
}


class TokenForm(forms.Form):
    """A new token's name, permissions, class and lifetime."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=MAX_NAME_LENGTH,
        help_text=gettext_lazy(
            "What will use it, and where. This helps you know later which one to revoke."
        ),
    )
    scope = forms.ChoiceField(label=gettext_lazy("Permissions"), choices=Token.Scope)
    course = forms.ModelChoiceField(
        label=gettext_lazy("Class"),
        queryset=Course.objects.none(),
        required=False,
        empty_label=gettext_lazy("every class I teach, now and in future"),
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Expires after"), coerce=int, choices=list(DAYS.items()), initial=90
    )

    def __init__(self, *args: Any, courses: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.fields["course"].queryset = courses
