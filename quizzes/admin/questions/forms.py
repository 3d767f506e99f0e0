"""Forms of concept questions: written one by one, or pasted as one text."""

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.widgets import (
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from lessons.admin.editor import MarkdownEditor
from lessons.errors import ContentError
from lessons.models import Section
from quizzes.admin.exchanging import ExchangingForm, ServiceFormSet
from quizzes.admin.texts import check_texts
from quizzes.authoring.services import publishing
from quizzes.authoring.services.loading import find_pasted_faults
from quizzes.items.pasted_questions import MAX_LENGTH, parse_questions
from quizzes.items.queries import tags_of, topics_by_lesson
from quizzes.items.services.questions import key_of_topic, number_choices, write_question
from quizzes.items.tags import format_tags, parse_tags
from quizzes.models import Choice, ConceptQuestion


class ChoiceForm(ExchangingForm):
    exchanged = "correct"

    class Meta:
        model = Choice
        fields = ("text", "correct", "feedback")
        widgets = {
            "text": UnfoldAdminTextareaWidget(attrs={"rows": 2}),
            "feedback": UnfoldAdminTextareaWidget(attrs={"rows": 2}),
        }

    def clean(self):
        check_texts(self, "text", "feedback")
        return super().clean()


class ChoiceFormSet(ServiceFormSet):
    """The choices of one question, which is written with them."""

    students_asked = 0

    def write(self):
        self.students_asked = write_question(question=self.instance, choices=self.wanted())

    def clean(self):
        super().clean()
        if any(self.errors):
            return
        kept = self.wanted()
        number_choices(choices=kept)
        troubles = publishing.find_question_faults(kept)
        if troubles:
            raise ValidationError(troubles)


class SectionField(forms.ModelChoiceField):
    """A field of sections, each shown with its lesson."""

    def __init__(self):
        super().__init__(
            Section.objects.none(),  # replaced by each author's own in `get_form`
            label=gettext_lazy("Section"),
            required=False,
            widget=UnfoldAdminSelectWidget,
            empty_label=gettext_lazy("none"),
            help_text=gettext_lazy("The section students should read again."),
        )

    def label_from_instance(self, section):
        return f"{section.lesson.title}: {section.title}"


class TagsField(forms.CharField):
    """A field of tags between commas. Its value is a list."""

    def __init__(self, label=None, help_text=None):
        super().__init__(
            label=label or gettext_lazy("Tags"),
            required=False,
            max_length=1000,
            widget=UnfoldAdminTextInputWidget,
            help_text=help_text
            or gettext_lazy("Any words, with commas between them, for example: week 3, hard."),
        )

    def clean(self, value):
        return parse_tags(super().clean(value))


class TopicForm(forms.Form):
    """A topic from the list, or a new one.

    Attributes:
        no_topic: the first line of the list.
        needs_topic: whether a topic has to be chosen.
    """

    no_topic = gettext_lazy("— new topic —")
    needs_topic = True

    topic = forms.ChoiceField(
        label=gettext_lazy("Topic"), required=False, widget=UnfoldAdminSelectWidget
    )
    new_topic = forms.CharField(
        label=gettext_lazy("Or a new topic"),
        required=False,
        max_length=60,
        widget=UnfoldAdminTextInputWidget,
        help_text=gettext_lazy(
            "Its name, for example “Why √d_k”. Plain text only, because it’s shown in lists."
        ),
    )
    section = SectionField()

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        groups = topics_by_lesson()
        self.fields["topic"].choices = [
            ("", self.no_topic),
            *((lesson or _("no lesson"), topics) for lesson, topics in groups.items()),
        ]

    def clean(self):
        cleaned = super().clean()
        title = cleaned.get("new_topic")
        chosen = title or cleaned.get("topic") or "topic" in self.errors
        if self.needs_topic and not chosen:
            self.add_error("topic", _("Choose a topic or enter a new one."))
        if title:
            try:
                cleaned["topic"] = key_of_topic(title)
            except ValidationError as wrong:
                self.add_error("new_topic", wrong)
        return cleaned


class QuestionForm(TopicForm, forms.ModelForm):
    tags = TagsField()

    class Meta:
        model = ConceptQuestion
        fields = ("topic", "section", "prompt", "explanation", "published", "reserved", "asks")
        widgets = {"explanation": UnfoldAdminTextareaWidget(attrs={"rows": 2})}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if "prompt" in self.fields:  # absent for users who may only look
            self.fields["prompt"].widget = MarkdownEditor(rows=12)
            self.fields["prompt"].widget.attrs["data-preview-form"] = ""
        if self.instance.pk:
            self.initial.setdefault("tags", format_tags(tags_of(self.instance.key)))
        self.was_published = self.instance.published

    def clean(self):
        check_texts(self, "prompt", "explanation")
        cleaned = super().clean()
        if cleaned.get("published") and not self.was_published:
            refuse_without_section(self)
        return cleaned


def refuse_without_section(form):
    """Add an error to a form that would publish a question without a section."""
    if not form.cleaned_data.get("section") and "section" not in form.errors:
        words = _(
            "Choose which section students should read again. A published question needs one."
        )
        form.add_error("section", words)


class ChangeForm(TopicForm):
    """A change of several questions. A field that stays empty changes nothing."""

    no_topic = gettext_lazy("— as it is —")
    needs_topic = False

    add_tags = TagsField(gettext_lazy("Add tags"))
    remove_tags = TagsField(
        gettext_lazy("Remove tags"), gettext_lazy("With commas between them, as above.")
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["section"].empty_label = self.no_topic

    def clean(self):
        cleaned = super().clean()
        if not self.errors and not any(cleaned.values()):
            raise ValidationError(_("Nothing you’ve chosen would change anything."))
        return cleaned


class PasteForm(TopicForm):
    tags = TagsField()
    publish = forms.BooleanField(
        label=gettext_lazy("Publish them immediately"),
        required=False,
        widget=UnfoldBooleanWidget,
        help_text=gettext_lazy("Only if nothing is wrong with any of them."),
    )
    text = forms.CharField(
        label=gettext_lazy("Questions"),
        max_length=MAX_LENGTH,
        strip=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 20, "spellcheck": "true"}),
        help_text=gettext_lazy(
            "Each question starts with a heading. Mark the right choice with - [x] and wrong"
            " ones with - [ ]. Indent feedback below its choice. Start a line with > for the"
            " explanation that"
            " everyone sees. A question needs four choices or more, and feedback on each."
        ),
    )
    pasted = ()

    def clean_text(self):
        try:
            self.pasted = parse_questions(self.cleaned_data["text"])
        except ContentError as wrong:
            raise ValidationError(str(wrong)) from None
        if faults := find_pasted_faults(self.pasted):
            raise ValidationError(faults)
        return self.cleaned_data["text"]

    def clean(self):
        cleaned = super().clean()
        if cleaned.get("publish"):
            refuse_without_section(self)
        return cleaned
