"""Rows of one form that a service writes together, and that may exchange their values."""

from django import forms
from django.core.exceptions import ValidationError
from django.forms.models import BaseInlineFormSet


class ExchangingForm(forms.ModelForm):
    """One of several rows, of which the formset alone can tell whether they clash."""

    exchanged: str  # the field of which two rows may not have the same

    def validate_constraints(self):
        exclude = {*self._get_validation_exclusions(), self.exchanged}
        try:
            self.instance.validate_constraints(exclude=exclude)
        except ValidationError as wrong:
            self._update_errors(wrong)


class WrittenTogether(BaseInlineFormSet):
    """All rows of a form are handed to a service at once, which knows what may be edited."""

    def wanted(self):
        """The rows as they are typed, without those that are to go and those left empty."""
        return [
            form.instance
            for form in self.forms
            if (form.has_changed() or form.instance.pk) and not form.cleaned_data.get("DELETE")
        ]

    def write(self):
        """Have a service write the rows that are wanted."""
        raise NotImplementedError

    def save(self, commit=True):
        self.saved_forms = []
        # By this Django's log knows what was changed; it writes nothing.
        changed = [*self.save_existing_objects(commit=False), *self.save_new_objects(commit=False)]
        if commit:
            self.write()
        return changed
