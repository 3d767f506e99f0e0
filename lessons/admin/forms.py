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
from lessons.rendering import find_errors


class TextsForm(forms.ModelForm):
    """A form that reports all errors in its texts at once, with references to what is missing."""

    def _post_clean(self):
        super()._post_clean()
        known = known_references(self.data)
        for name in self.fields:
            for wrong in self.missing(name, known):
                self.add_error(name, str(wrong))

    def missing(self, name: str, known: KnownReferences) -> list[ContentError]:
        """Return the errors of a field that refers to something that does not exist."""
        field = _field(self, name)
        if not isinstance(field, MarkdownField):
            return []
        text = self.cleaned_data.get(name) or ""
        if name in self.errors:  # also what is said in its other blocks
            _errors, text = find_errors(field.to_python(self[name].data) or "")
        return find_errors(text, lambda each: check_references(each, known))[0]


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

    def missing(self, name: str, known: KnownReferences) -> list[ContentError]:
        found = super().missing(name, known)
        if name == "families" and name not in self.errors:
            for key in self.instance.family_keys:
                try:
                    check_family(key, known)
                except ContentError as wrong:
                    found.append(wrong)
        return found


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
