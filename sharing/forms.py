"""Form for sharing a row."""

from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import UnfoldAdminEmailInputWidget, UnfoldAdminSelectWidget

from sharing.models import Access


class ShareForm(forms.Form):
    """The recipient, by email address, and their access. No address means every instructor."""

    address = forms.EmailField(
        label=gettext_lazy("Email address"),
        required=False,
        widget=UnfoldAdminEmailInputWidget,
        help_text=gettext_lazy(
            "An instructor’s address. Leave it empty to share with every instructor on this site."
        ),
    )
    access = forms.ChoiceField(
        label=gettext_lazy("Access"), choices=Access.choices, widget=UnfoldAdminSelectWidget
    )

    user: Any = None

    def clean_address(self) -> str:
        address: str = self.cleaned_data["address"]
        if address:
            people = get_user_model().objects.filter(is_active=True, is_staff=True)
            self.user = people.filter(email__iexact=address).first()
            if self.user is None:
                raise ValidationError(
                    _("No instructor on this site has this address. Check the spelling.")
                )
        return address

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("access") == Access.OWN and not cleaned.get("address", "?"):
            self.add_error(
                "access", _("You can’t make every instructor an owner. Enter one person’s address.")
            )
        return cleaned
