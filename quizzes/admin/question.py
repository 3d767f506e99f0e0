"""Admin: concept questions, their choices, and the titles of topics."""

import re

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import OuterRef
from django.http import JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.csp import csp_override
from unfold.admin import ModelAdmin, TabularInline
from unfold.decorators import action, display
from unfold.widgets import (
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
)

from foundation.guarded_admin import GuardedAdmin
from foundation.methods import allow_methods
from foundation.refusals import add_refusals_to
from lessons.admin.editor import MarkdownEditor, editor_tools
from lessons.admin.preview import PREVIEW_CSP
from lessons.admin.typed import typed_rows
from lessons.errors import ContentError
from lessons.models import Section
from lessons.pages.queries import sections_readable_by
from quizzes.admin.exchanging import ExchangingForm, ServiceFormSet
from quizzes.admin.large import CountedUpTo, format_capped_count
from quizzes.admin.texts import check_texts
from quizzes.authoring.services import publishing
from quizzes.authoring.services.loading import add_questions
from quizzes.items.pasted_questions import MAX_LENGTH, parse_questions
from quizzes.items.presenters.written_question import (
    WrittenQuestion,
    choice_of,
    usage_context,
    with_preview,
)
from quizzes.items.queries import earlier_versions, topics_by_lesson
from quizzes.items.services.questions import (
    delete_questions,
    key_of_topic,
    new_key,
    number_choices,
    set_topic_title,
    students_asked,
    write_question,
)
from quizzes.models import Choice, ConceptQuestion, Item, Topic
from sharing.admin import OwnedAdmin, OwnerFilter, ReadableFilter

MAX_COUNTED = 1000
CHOICE_ID, CHOICE_OF = re.compile(r"choices-\d+-id"), re.compile(r"choices-\d+-question")


@admin.register(Topic)
class TopicAdmin(GuardedAdmin, ModelAdmin):
    """Titles of topics, as shown where students practise."""

    list_display = ("title", "key", "part")
    list_filter = ("part",)
    search_fields = ("title", "key")


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


class ChoiceInline(TabularInline):
    model = Choice
    form = ChoiceForm
    formset = ChoiceFormSet
    ordering = ("order",)
    fields = ("correct", "text", "feedback")

    def get_extra(self, request, obj=None, **kwargs):
        return 0 if obj else publishing.MIN_CHOICES


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


class TopicForm(forms.Form):
    """A topic from the list, or a new one."""

    topic = forms.ChoiceField(
        label=gettext_lazy("Topic"), required=False, widget=UnfoldAdminSelectWidget
    )
    new_topic = forms.CharField(
        label=gettext_lazy("Or a new topic"),
        required=False,
        max_length=60,
        widget=UnfoldAdminTextInputWidget,
        help_text=gettext_lazy(
            "Its name, for example “Why √d_k”. Plain text only, because it is shown in lists."
        ),
    )
    section = SectionField()

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        groups = topics_by_lesson()
        self.fields["topic"].choices = [
            ("", _("— new topic —")),
            *((lesson or _("no lesson"), topics) for lesson, topics in groups.items()),
        ]

    def clean(self):
        cleaned = super().clean()
        title = cleaned.get("new_topic")
        if not title and not cleaned.get("topic") and "topic" not in self.errors:
            self.add_error("topic", _("Choose a topic or enter a new one."))
        if title:
            try:
                cleaned["topic"] = key_of_topic(title)
            except ValidationError as wrong:
                self.add_error("new_topic", wrong)
        return cleaned


class QuestionForm(TopicForm, forms.ModelForm):
    class Meta:
        model = ConceptQuestion
        fields = ("topic", "section", "prompt", "explanation", "published", "reserved", "asks")
        widgets = {"explanation": UnfoldAdminTextareaWidget(attrs={"rows": 2})}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if "prompt" in self.fields:  # absent for users who may only look
            self.fields["prompt"].widget = MarkdownEditor(rows=12)
            self.fields["prompt"].widget.attrs["data-preview-form"] = ""

    def clean(self):
        check_texts(self, "prompt", "explanation")
        return super().clean()


class PasteForm(TopicForm):
    text = forms.CharField(
        label=gettext_lazy("Questions"),
        max_length=MAX_LENGTH,
        strip=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 20, "spellcheck": "true"}),
        help_text=gettext_lazy(
            "Each question starts with a heading. Mark the right choice with - [x] and wrong"
            " ones with - [ ]. Indent feedback below its choice. Start a line with > for the"
            " explanation that"
            " everyone sees."
        ),
    )

    def clean_text(self):
        try:
            self.pasted = parse_questions(self.cleaned_data["text"])
        except ContentError as wrong:
            raise ValidationError(str(wrong)) from None
        return self.cleaned_data["text"]


def question_in_form(sent):
    """Return the question in a sent form, saved or not."""
    rows = typed_rows(sent, "choices", "text", "correct", "feedback")
    choices = [
        choice_of(number, row["text"], bool(row["correct"]), row["feedback"])
        for number, row in enumerate(rows)
        if row["text"]
    ]
    prompt, explanation = (sent.get(name, "").strip() for name in ("prompt", "explanation"))
    return WrittenQuestion(prompt, explanation, tuple(choices))


@never_cache
@xframe_options_sameorigin
@csp_override(PREVIEW_CSP)
def preview_view(request):
    """Show the question in a sent form as a student will see it, as JSON for the editor or a page.

    A GET returns the empty page into which the editor puts the preview.
    """
    rights = ("quizzes.add_conceptquestion", "quizzes.change_conceptquestion")
    if not (request.user.is_staff and any(map(request.user.has_perm, rights))):
        raise PermissionDenied
    shown = (
        with_preview(question_in_form(request.POST))
        if request.method == "POST"
        else WrittenQuestion()
    )
    if request.get_preferred_type(["text/html", "application/json"]) == "application/json":
        return JsonResponse({"html": shown.html, "error": "", "line": None})
    return render(request, "quizzes/admin/question_preview.html", {"preview": shown})


@never_cache
@allow_methods("GET")
@csp_override(PREVIEW_CSP)
def version_view(request, pk):
    """Show a version of a question as its students saw it, with the feedback on each choice."""
    if not (request.user.is_staff and request.user.has_perm("quizzes.view_conceptquestion")):
        raise PermissionDenied
    question = get_object_or_404(ConceptQuestion.every.visible_to(request.user), pk=pk)
    context = {"question": question, "preview": with_preview(WrittenQuestion.stored(question))}
    return render(request, "quizzes/admin/question_version.html", context)


def move_to_current(sent, replaced, current):
    """Move what was sent for a version that was replaced meanwhile onto the current one.

    Choices are matched by their keys.
    """
    keys = dict(replaced.choices.values_list("pk", "key"))
    rows = dict(current.choices.values_list("key", "pk"))
    there = {str(pk): rows.get(key, pk) for pk, key in keys.items()}
    moved = sent.copy()
    for name, typed in sent.items():
        if CHOICE_ID.fullmatch(name):
            moved[name] = str(there.get(typed, typed))
        elif CHOICE_OF.fullmatch(name):
            moved[name] = str(current.pk)
    return moved


@admin.register(ConceptQuestion)
class ConceptQuestionAdmin(GuardedAdmin, OwnedAdmin, ModelAdmin):
    form = QuestionForm
    inlines = (ChoiceInline,)
    list_display = ("key", "topic", "section", "published", "reserved", "times_asked")
    list_filter = (
        *(OwnerFilter, "published", "reserved", "asks", "topic"),
        ("section__lesson", ReadableFilter),
    )
    search_fields = ("key", "topic", "prompt")
    list_select_related = ("section",)
    fields = (
        *(("topic", "new_topic"), "section", "prompt", "explanation"),
        *(("published", "reserved"), "asks"),
    )
    actions_list = ("paste",)
    actions_detail = ("sharing",)
    warn_unsaved_form = True
    change_form_before_template = "quizzes/admin/asked_question.html"
    change_form_outer_after_template = "lessons/admin/editor_tools.html"

    class Media:
        css = {"all": ["quizzes/authoring/versions.css"]}

    def get_queryset(self, request):
        of_key = {"question__key": OuterRef("key"), "question__isnull": False}
        # Counts items of all versions.
        asked = Item.objects.of_learners().filter(**of_key)
        return super().get_queryset(request).annotate(asked=CountedUpTo(asked, MAX_COUNTED))

    @display(description=gettext_lazy("Asked"), ordering="asked")
    def times_asked(self, question):
        return format_capped_count(question.asked, MAX_COUNTED)

    def get_urls(self):
        # Not behind the admin's own view: the preview has a stricter policy than its pages.
        name = "quizzes_conceptquestion"
        return [
            path("preview/", preview_view, name=f"{name}_preview"),
            path("<key:pk>/version/", version_view, name=f"{name}_version"),
            *super().get_urls(),
        ]

    def get_form(self, request, obj=None, change=False, **options):
        form = super().get_form(request, obj, change, **options)
        if "section" in form.base_fields:  # absent for users who may only look
            form.base_fields["section"] = SectionField()
            offered = sections_readable_by(request.user, also=obj and obj.section_id)
            form.base_fields["section"].queryset = offered
        return form

    def changeform_view(self, request, object_id=None, form_url="", extra_context=None):
        readable = ConceptQuestion.every.visible_to(request.user)
        known = readable.filter(pk=object_id) if (object_id or "").isdecimal() else ()
        question = next(iter(known), None)
        if question and question.replaced_at:
            current = get_object_or_404(ConceptQuestion, key=question.key)
            if request.method != "POST":
                return redirect("admin:quizzes_conceptquestion_change", current.pk)
            request.POST = move_to_current(request.POST, question, current)
            question, object_id = current, str(current.pk)
        address = reverse("admin:quizzes_conceptquestion_preview")
        context = {"tools": editor_tools(request) | {"preview_url": address}}
        if question:
            context["asked"] = usage_context(
                question,
                students_asked(question, MAX_COUNTED),
                [(each, students_asked(each, MAX_COUNTED)) for each in earlier_versions(question)],
                most=MAX_COUNTED,
            )
        return super().changeform_view(
            request, object_id, form_url, context | (extra_context or {})
        )

    def save_model(self, request, question, form, change):
        """Set the key and title only: the choices' formset writes the question with them."""
        question.key = question.key or new_key(question.topic)
        if title := form.cleaned_data["new_topic"]:
            set_topic_title(key=question.topic, title=title)

    def save_related(self, request, form, formsets, change):
        super().save_related(request, form, formsets, change)
        asked = sum(formset.students_asked for formset in formsets)
        if asked:
            words = ngettext(
                "This is now version %(version)s. %(count)s student was asked the earlier"
                " version, which stays as they saw it.",
                "This is now version %(version)s. %(count)s students were asked the earlier"
                " version, which stays as they saw it.",
                asked,
            )
            counts = {"version": form.instance.version, "count": asked}
            self.message_user(request, words % counts, messages.INFO)
        for tell in with_preview(question_in_form(request.POST)).tells:
            self.message_user(request, tell, messages.WARNING)

    def has_delete_permission(self, request, obj=None):
        """Deny deletion if there are earlier versions, as students were asked them."""
        is_kept = obj is not None and obj.version > 1
        return not is_kept and super().has_delete_permission(request, obj)

    def delete_model(self, request, question):
        owned = ConceptQuestion.objects.owned_by(request.user)
        delete_questions(questions=owned.filter(pk=question.pk))

    def delete_queryset(self, request, queryset):
        delete_questions(questions=queryset.owned_by(request.user))

    @action(description=gettext_lazy("Paste several"), icon="content_paste", permissions=["paste"])
    def paste(self, request):
        """Paste several questions in one text: previewed first, then added as drafts."""
        form = PasteForm(request.POST or None)
        form.fields["section"].queryset = sections_readable_by(request.user)
        shown = []
        if form.is_valid():
            shown = [with_preview(WrittenQuestion.pasted(each)) for each in form.pasted]
            if "add" in request.POST:
                with add_refusals_to(form, ContentError, field="text"):
                    added = add_questions(
                        topic=form.cleaned_data["topic"],
                        title=form.cleaned_data["new_topic"],
                        section=form.cleaned_data["section"],
                        pasted=form.pasted,
                        by=request.user,
                    )
                    words = ngettext(
                        "One question has been added as a draft.",
                        "%(count)s questions have been added as drafts.",
                        len(added),
                    )
                    messages.success(request, words % {"count": len(added)})
                    return redirect("admin:quizzes_conceptquestion_changelist")
        title = _("Paste several questions")
        return self.render_own_page(
            request, "quizzes/admin/paste_questions.html", title, form=form, shown=shown
        )

    # Named here: unfold asks the database about a permission by its full name, at every start.
    def has_paste_permission(self, request, object_id=None):
        return self.has_add_permission(request)
