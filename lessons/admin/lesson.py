"""The admin of lessons, with their page parts, sections and words."""

from django.contrib import admin, messages
from django.db.models import Count
from django.urls import path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin, StackedInline
from unfold.decorators import display

from foundation.guarded_admin import GuardedAdmin
from lessons.admin.editor import editor_tools
from lessons.admin.forms import LessonForm, OrderedFormSet, SectionForm, WordForm
from lessons.admin.preview import preview_view
from lessons.admin.transfer import TransferMixin
from lessons.admin.versions import VersionsMixin
from lessons.authoring.history import newest_version
from lessons.authoring.moments import group_history
from lessons.authoring.references import broken_links
from lessons.authoring.services import mark_as_updated, publish_lesson, withdraw_lesson
from lessons.models import Lesson, Section, Word
from sharing.admin import OwnedAdmin, OwnerFilter


class SectionInline(StackedInline):
    model = Section
    form = SectionForm
    formset = OrderedFormSet
    prepopulated_fields = {"slug": ("title",)}
    fields = (("order", "title", "slug"), "families", "body")
    ordering_field = "order"
    extra = 0
    tab = True


class WordInline(StackedInline):
    model = Word
    form = WordForm
    formset = OrderedFormSet
    fields = (("order", "term", "forms"), "meaning")
    ordering_field = "order"
    extra = 0
    tab = True


@admin.register(Lesson)
class LessonAdmin(VersionsMixin, TransferMixin, GuardedAdmin, OwnedAdmin, ModelAdmin):
    form = LessonForm
    inlines = (SectionInline, WordInline)
    list_display = ("title", "state", "level", "minutes", "section_count", "updated", "order")
    ordering_field = "order"
    hide_ordering_field = False
    warn_unsaved_form = True
    change_form_outer_after_template = "lessons/admin/editor_tools.html"
    list_filter = (OwnerFilter, "published", "level", "category")
    search_fields = ("title", "tagline", "sections__title", "sections__body")
    prepopulated_fields = {"slug": ("title",)}
    save_on_top = True
    actions = ("publish", "withdraw", *TransferMixin.actions)
    actions_detail = (*TransferMixin.actions_detail, "sharing")
    fieldsets = (
        (None, {"fields": ("title", "slug", "tagline", "published")}),
        (
            gettext_lazy("In the catalogue"),
            {"fields": (("category", "level"), ("minutes", "order", "icon"))},
        ),
        (
            gettext_lazy("Before the sections"),
            {
                "description": gettext_lazy(
                    "All optional. Written in Markdown and shown in this order."
                ),
                "classes": ("collapse",),
                "fields": Lesson.PARTS[:-3],
            },
        ),
        (
            gettext_lazy("After the sections"),
            {"classes": ("collapse",), "fields": Lesson.PARTS[-3:]},
        ),
    )

    def get_queryset(self, request):
        return super().get_queryset(request).annotate(sections_there=Count("sections"))

    def get_urls(self):
        # Not behind the admin's own view: the preview has a stricter policy than its pages.
        address = path("preview/", preview_view, name="lessons_lesson_preview")
        return [address, *super().get_urls()]

    def changeform_view(self, request, object_id=None, form_url="", extra_context=None):
        context = {"tools": editor_tools(request)} | (extra_context or {})
        with group_history(user=request.user):
            return super().changeform_view(request, object_id, form_url, context)

    def saved_last(self, obj):
        newest = newest_version(obj)
        return newest and (newest.user, newest.when)

    def save_model(self, request, obj, form, change):
        """Save the lesson. If its own fields are unchanged, its history gets no entry."""
        if change and not form.has_changed():
            mark_as_updated(lesson=obj)
        else:
            super().save_model(request, obj, form, change)

    def save_related(self, request, form, formsets, change):
        super().save_related(request, form, formsets, change)
        self._warn_about_broken_links(request)

    def delete_model(self, request, obj):
        super().delete_model(request, obj)
        self._warn_about_broken_links(request)

    def _warn_about_broken_links(self, request):
        """Warn about links from other lessons to what was renamed or deleted."""
        readable = set(Lesson.objects.visible_to(request.user).values_list("pk", flat=True))
        for lesson, trouble in broken_links():
            if lesson.pk not in readable:
                continue
            words = _("A link in “%(lesson)s” is broken: %(message)s.")
            messages.warning(request, words % {"lesson": lesson, "message": trouble})

    def changelist_view(self, request, extra_context=None):
        with group_history(user=request.user):
            return super().changelist_view(request, extra_context)

    @admin.action(description=gettext_lazy("Publish"), permissions=["change"])
    def publish(self, request, queryset):
        for lesson in self.editable(request, queryset.exclude(published=True)):
            publish_lesson(lesson=lesson, user=request.user)

    @admin.action(description=gettext_lazy("Return to draft"), permissions=["change"])
    def withdraw(self, request, queryset):
        for lesson in self.editable(request, queryset.exclude(published=False)):
            withdraw_lesson(lesson=lesson, user=request.user)

    @display(
        description=gettext_lazy("State"),
        ordering="published",
        label={gettext_lazy("Published"): "success", gettext_lazy("Draft"): "warning"},
    )
    def state(self, lesson):
        return _("Published") if lesson.published else _("Draft")

    @display(description=gettext_lazy("Sections"), ordering="sections_there")
    def section_count(self, lesson):
        return lesson.sections_there

    def view_on_site(self, lesson):
        """Return the URL of the lesson's page, where authors see drafts too."""
        return lesson.get_absolute_url()
