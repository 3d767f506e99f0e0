"""Admin forms of a lesson, with errors at their field and line."""

from django import forms
from unfold.forms import PaginationInlineFormSet

from lessons.admin.editor import MarkdownEditor
from lessons.admin.typed import known_references
from lessons.authoring.references import KnownReferences, check_family, check_references
from lessons.authoring.services import FIELDS
from lessons.errors import ContentError
from lessons.fields import MarkdownField
from lessons.models import Lesson, Section, Word


class TextsForm(forms.ModelForm):
    """A form that checks the references in its fields, once the fields themselves are valid."""

    def _post_clean(self):
        super()._post_clean()
        known = known_references(self.data)
        for name in self.fields:
            if name in self.errors:
                continue
            try:
                self.check(name, known)
            except ContentError as wrong:
                self.add_error(name, str(wrong))

    def check(self, name: str, known: KnownReferences) -> None:
        """Raise ContentError if a field refers to something that does not exist."""
        if isinstance(_field(self, name), MarkdownField):
            check_references(self.cleaned_data.get(name), known)


def _field(form: forms.ModelForm, name: str):
    return {field.name: field for field in form._meta.model._meta.fields}.get(name)


class LessonForm(TextsForm):
    class Meta:
        model = Lesson
        fields = FIELDS
        widgets = {part: MarkdownEditor(rows=8) for part in Lesson.PARTS}


class SectionForm(TextsForm):
    class Meta:
        model = Section
        fields = ("order", "title", "slug", "families", "body")
        widgets = {"body": MarkdownEditor(rows=20)}

    def check(self, name: str, known: KnownReferences) -> None:
        super().check(name, known)
        if name == "families":
            for key in self.instance.family_keys:
                check_family(key, known)


class WordForm(TextsForm):
    class Meta:
        model = Word
        fields = ("order", "term", "forms", "meaning")
        widgets = {"meaning": MarkdownEditor(rows=4)}


class OrderedFormSet(PaginationInlineFormSet):
    """A formset ordered by dragging or numbering; new rows without a number go last."""

    def clean(self):
        super().clean()
        kept = [form for form in self.forms if not form.cleaned_data.get("DELETE")]
        last = max((form.cleaned_data.get("order") or 0 for form in kept), default=0)
        for form in kept:
            if form.has_changed() and not form.instance.pk and not form.cleaned_data.get("order"):
                last += 1
                form.instance.order = last
