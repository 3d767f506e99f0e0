"""Admin: concept questions, their choices, and the titles of topics."""

import re
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.shortcuts import get_object_or_404, redirect
from django.urls import path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.admin import ModelAdmin, TabularInline
from unfold.decorators import action, display

from foundation.guarded_admin import GuardedAdmin
from foundation.refusals import add_refusals_to
from lessons.admin.editor import editor_tools
from lessons.errors import ContentError
from lessons.pages.queries import sections_readable_by
from quizzes.admin.questions.bulk import BulkMixin
from quizzes.admin.questions.forms import (
    ChoiceForm,
    ChoiceFormSet,
    PasteForm,
    QuestionForm,
    SectionField,
)
from quizzes.admin.questions.listing import MAX_COUNTED, ListingMixin
from quizzes.admin.questions.previews import preview_view, question_in_form, version_view
from quizzes.authoring.services import publishing
from quizzes.authoring.services.loading import add_questions
from quizzes.items.presenters.written_question import WrittenQuestion, usage_context, with_preview
from quizzes.items.queries import earlier_versions, tags_of
from quizzes.items.services.questions import (
    delete_questions,
    new_key,
    set_topic_title,
    students_asked,
)
from quizzes.items.services.tags import set_tags
from quizzes.items.tags import format_tags
from quizzes.models import Choice, ConceptQuestion, Topic
from sharing.admin import OwnedAdmin

CHOICE_ID, CHOICE_OF = re.compile(r"choices-\d+-id"), re.compile(r"choices-\d+-question")


@admin.register(Topic)
class TopicAdmin(GuardedAdmin, ModelAdmin):
    """Titles of topics, as shown where students practise."""

    list_display = ("title", "key", "part")
    list_filter = ("part",)
    search_fields = ("title", "key")


class ChoiceInline(TabularInline):
    model = Choice
    form = ChoiceForm
    formset = ChoiceFormSet
    ordering = ("order",)
    fields = ("correct", "text", "feedback")

    def get_extra(self, request, obj=None, **kwargs):
        return 0 if obj else publishing.MIN_CHOICES


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
class ConceptQuestionAdmin(BulkMixin, ListingMixin, GuardedAdmin, OwnedAdmin, ModelAdmin):
    form = QuestionForm
    inlines = (ChoiceInline,)
    fields = (
        *(("topic", "new_topic"), ("section", "tags"), "prompt", "explanation"),
        *(("published", "reserved"), "asks"),
    )
    actions_list = ("paste",)
    actions_detail = ("sharing",)
    warn_unsaved_form = True
    change_form_before_template = "quizzes/admin/asked_question.html"
    change_form_outer_after_template = "lessons/admin/editor_tools.html"

    class Media:
        css = {"all": ["quizzes/authoring/versions.css", "quizzes/authoring/bank.css"]}

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

    @display(description=gettext_lazy("Tags"))
    def tags(self, question):
        """Return the tags, for users who may only look."""
        return format_tags(tags_of(question.key))

    def save_model(self, request, question, form, change):
        """Set the key and title only: the choices' formset writes the question with them."""
        question.key = question.key or new_key(question.topic)
        if title := form.cleaned_data["new_topic"]:
            set_topic_title(key=question.topic, title=title)

    def save_related(self, request, form, formsets, change):
        super().save_related(request, form, formsets, change)
        set_tags(key=form.instance.key, tags=form.cleaned_data["tags"])
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
        """Paste several questions in one text: previewed first, then added."""
        form = PasteForm(request.POST or None)
        form.fields["section"].queryset = sections_readable_by(request.user)
        if form.is_valid() and "add" in request.POST:
            with add_refusals_to(form, ContentError, field="text"):
                added = add_questions(
                    topic=form.cleaned_data["topic"],
                    title=form.cleaned_data["new_topic"],
                    section=form.cleaned_data["section"],
                    tags=form.cleaned_data["tags"],
                    publish=form.cleaned_data["publish"],
                    pasted=form.pasted,
                    by=request.user,
                )
                messages.success(request, self._describe_added(form, len(added)))
                found = reverse("admin:quizzes_conceptquestion_changelist")
                return redirect(f"{found}?{urlencode({'topic': added[0].topic})}")
        # What is wrong with some is named above; all of them are shown as they stand.
        shown = [with_preview(WrittenQuestion.pasted(each)) for each in form.pasted]
        title = _("Paste several questions")
        return self.render_own_page(
            request, "quizzes/admin/paste_questions.html", title, form=form, shown=shown
        )

    def _describe_added(self, form, count):
        drafts = ngettext(
            "One question has been added as a draft.",
            "%(count)s questions have been added as drafts.",
            count,
        )
        published = ngettext(
            "One question has been added and published.",
            "%(count)s questions have been added and published.",
            count,
        )
        return (published if form.cleaned_data["publish"] else drafts) % {"count": count}

    # Named here: unfold asks the database about a permission by its full name, at every start.
    def has_paste_permission(self, request, object_id=None):
        return self.has_add_permission(request)
