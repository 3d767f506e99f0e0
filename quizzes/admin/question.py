"""Authoring concept questions, their choices, and what topics are called."""

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import OuterRef
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin, StackedInline
from unfold.decorators import display
from unfold.widgets import UnfoldAdminTextareaWidget

from quizzes.admin.exchanging import ExchangingForm, ExchangingFormSet
from quizzes.admin.large import CountedUpTo, number_or_more
from quizzes.admin.texts import check_texts
from quizzes.models import Choice, ConceptQuestion, Item, Topic
from quizzes.services import authoring

MOST_COUNTED = 1000


@admin.register(Topic)
class TopicAdmin(ModelAdmin):
    """What topics are called, where students practise them and see how they do."""

    list_display = ("title", "key")
    search_fields = ("title", "key")


class ChoiceForm(ExchangingForm):
    exchanged = "correct"

    class Meta:
        model = Choice
        fields = ("order", "key", "text", "correct", "feedback")
        widgets = {
            "text": UnfoldAdminTextareaWidget(attrs={"rows": 2}),
            "feedback": UnfoldAdminTextareaWidget(attrs={"rows": 2}),
        }

    def clean(self):
        check_texts(self, "text", "feedback")
        return super().clean()


class ChoiceFormSet(ExchangingFormSet):
    def give_up(self, rows):
        authoring.free_correctness(choices=rows)

    def clean(self):
        super().clean()
        if any(self.errors):
            return
        kept = [
            form.instance
            for form in self.forms
            if (form.has_changed() or form.instance.pk) and not form.cleaned_data.get("DELETE")
        ]
        troubles = authoring.why_not_ask(kept)
        if troubles:
            raise ValidationError(troubles)


class ChoiceInline(StackedInline):
    model = Choice
    form = ChoiceForm
    formset = ChoiceFormSet
    ordering = ("order",)

    def get_extra(self, request, obj=None, **kwargs):
        return 0 if obj else authoring.FEWEST_CHOICES


class QuestionForm(forms.ModelForm):
    class Meta:
        model = ConceptQuestion
        fields = ("key", "topic", "section", "prompt", "explanation", "published", "reserved")

    def clean(self):
        check_texts(self, "prompt", "explanation")
        return super().clean()


@admin.register(ConceptQuestion)
class ConceptQuestionAdmin(ModelAdmin):
    form = QuestionForm
    inlines = (ChoiceInline,)
    list_display = ("key", "topic", "section", "published", "reserved", "times_asked")
    list_filter = ("published", "reserved", "topic", "section__lesson")
    search_fields = ("key", "topic", "prompt")
    list_select_related = ("section",)

    def get_queryset(self, request):
        asked = Item.objects.filter(question=OuterRef("pk"))
        return super().get_queryset(request).annotate(asked=CountedUpTo(asked, MOST_COUNTED))

    @display(description=gettext_lazy("Asked"), ordering="asked")
    def times_asked(self, question):
        return number_or_more(question.asked, MOST_COUNTED)
