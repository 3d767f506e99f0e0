"""Rows that may exchange their values in one form."""

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
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


class ExchangingFormSet(BaseInlineFormSet):
    """Rows that may exchange their values: each gives up its own before any takes another's."""

    def give_up(self, rows: QuerySet) -> None:
        """Let go, by a service, of what other rows are to take."""
        raise NotImplementedError

    def save_existing_objects(self, commit=True):
        name = self.form.exchanged
        rows = [
            form.instance.pk
            for form in self.initial_forms
            if name in form.changed_data or form in self.deleted_forms
        ]
        changing = self.model._default_manager.filter(pk__in=rows)
        self.give_up(changing)
        return super().save_existing_objects(commit)
