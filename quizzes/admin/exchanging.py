"""Formsets whose rows a service writes together, so that rows may exchange values."""

from django import forms
from django.core.exceptions import ValidationError
from django.forms.models import BaseInlineFormSet


class ExchangingForm(forms.ModelForm):
    """A form of one row. Whether rows clash is left to the formset."""

    exchanged: str  # a field whose values are unique among the rows

    def validate_constraints(self):
        exclude = {*self._get_validation_exclusions(), self.exchanged}
        try:
            self.instance.validate_constraints(exclude=exclude)
        except ValidationError as wrong:
            self._update_errors(wrong)


class ServiceFormSet(BaseInlineFormSet):
    """A formset that passes all rows to one service, which decides what may be edited."""

    def wanted(self):
        """Return the rows as typed, without deleted and empty ones."""
        return [
            form.instance
            for form in self.forms
            if (form.has_changed() or form.instance.pk) and not form.cleaned_data.get("DELETE")
        ]

    def write(self):
        """Write the wanted rows by a service."""
        raise NotImplementedError

    def save(self, commit=True):
        self.saved_forms = []
        # Django's log takes the changes from these attributes; nothing is written yet.
        changed = [*self.save_existing_objects(commit=False), *self.save_new_objects(commit=False)]
        if commit:
            self.write()
        return changed
