"""Authoring lessons: the lesson with its page parts, its sections and its words."""

from django import forms
from django.contrib import admin
from django.db.models import Count
from unfold.admin import ModelAdmin, StackedInline, TabularInline
from unfold.widgets import UnfoldAdminTextareaWidget

from lessons.models import Lesson, Section, Word


class SectionForm(forms.ModelForm):
    """Room to write in."""

    class Meta:
        model = Section
        fields = ("title", "slug", "order", "body")
        widgets = {"body": UnfoldAdminTextareaWidget(attrs={"rows": 20})}


class SectionInline(StackedInline):
    model = Section
    form = SectionForm
    prepopulated_fields = {"slug": ("title",)}
    fields = ("title", ("slug", "order"), "body")
    extra = 0
    tab = True


class WordInline(TabularInline):
    model = Word
    fields = ("order", "term", "forms", "meaning")
    extra = 0
    tab = True


@admin.register(Lesson)
class LessonAdmin(ModelAdmin):
    inlines = (SectionInline, WordInline)
    list_display = ("title", "level", "minutes", "order", "section_count", "published", "updated")
    list_editable = ("order",)
    list_filter = ("published", "level", "category")
    search_fields = ("title", "tagline", "sections__title", "sections__body")
    prepopulated_fields = {"slug": ("title",)}
    save_on_top = True
    fieldsets = (
        (None, {"fields": ("title", "slug", "tagline", "published")}),
        ("In the catalogue", {"fields": (("category", "level"), ("minutes", "order", "icon"))}),
        (
            "Before the sections",
            {
                "description": "All optional, in Markdown, shown in this order.",
                "classes": ("collapse",),
                "fields": Lesson.PARTS[:-3],
            },
        ),
        ("After the sections", {"classes": ("collapse",), "fields": Lesson.PARTS[-3:]}),
    )

    def get_queryset(self, request):
        return super().get_queryset(request).annotate(sections_there=Count("sections"))

    @admin.display(description="Sections", ordering="sections_there")
    def section_count(self, lesson):
        return lesson.sections_there

    def view_on_site(self, lesson):
        """The page itself: authors see drafts there too."""
        return lesson.get_absolute_url()
