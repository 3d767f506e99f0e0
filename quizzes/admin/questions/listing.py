"""The list of concept questions: their texts, where they belong and how they did."""

from django.contrib import admin
from django.db.models import Case, Exists, OuterRef, Q, StringAgg, Subquery, Value, When
from django.utils.html import format_html, format_html_join
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.decorators import display

from lessons.markdown.plain import plain_text
from quizzes.admin.large import CountedUpTo, format_capped_count
from quizzes.analysis.facilities import Facility
from quizzes.authoring.queries import quizzes_asking
from quizzes.items.presenters.texts import format_percent
from quizzes.items.queries import tags_in, topic_titles
from quizzes.models import ConceptQuestion, Item, QuestionTag, Quiz, Topic
from sharing.admin import OwnerFilter, ReadableFilter

MAX_COUNTED = 1000
# Characters of a question, and quizzes, that one cell names.
MAX_TEXT, MAX_NAMED = 120, 2
BETWEEN = "\n"
# Shares of the points between which a question tells who knows the subject.
HARD, EASY = 0.2, 0.95


def shorten_prompt(question):
    """Return the beginning of a question's text, with formulas in letters."""
    return Truncator(plain_text(question.prompt)).chars(MAX_TEXT)


class TopicFilter(admin.SimpleListFilter):
    title = gettext_lazy("topic")
    parameter_name = "topic"

    def lookups(self, request, model_admin):
        titles = topic_titles()
        seen = ConceptQuestion.objects.visible_to(request.user).order_by()
        topics = seen.values_list("topic", flat=True).distinct()
        found = ((topic, titles.get(topic, topic)) for topic in topics)
        return sorted(found, key=lambda pair: pair[1].lower())

    def queryset(self, request, queryset):
        return queryset.filter(topic=self.value()) if self.value() else queryset


class TagFilter(admin.SimpleListFilter):
    title = gettext_lazy("tag")
    parameter_name = "tag"

    def lookups(self, request, model_admin):
        tags = tags_in(ConceptQuestion.objects.visible_to(request.user))
        return [(tag, tag) for tag in tags]

    def queryset(self, request, queryset):
        tagged = QuestionTag.objects.filter(tag=self.value() or "", key=OuterRef("key"))
        return queryset.filter(Exists(tagged)) if self.value() else queryset


def format_facility(facility):
    """Return a facility in per cent, marked if it is very low or very high; None if unknown."""
    if facility is None:
        return None
    percent = format_percent(100 * facility)
    if HARD <= facility <= EASY:
        return percent
    return format_html('<strong class="qb-flag">{}</strong>', percent)


class FacilityFilter(admin.SimpleListFilter):
    """Filter by how easy a question was: those to look at come first."""

    title = gettext_lazy("facility")
    parameter_name = "facility"

    def lookups(self, request, model_admin):
        return [
            ("hard", _("below 20%")),
            ("middle", _("20 to 95%")),
            ("easy", _("above 95%")),
            ("none", _("not known yet")),
        ]

    def queryset(self, request, queryset):
        found = {
            "hard": Q(facility__lt=HARD),
            "middle": Q(facility__range=(HARD, EASY)),
            "easy": Q(facility__gt=EASY),
            "none": Q(facility=None),
        }
        return queryset.filter(found.get(self.value(), Q()))


class AskedByFilter(admin.SimpleListFilter):
    """Filter by the quiz that may ask a question."""

    title = gettext_lazy("quiz")
    parameter_name = "quiz"

    def lookups(self, request, model_admin):
        quizzes = Quiz.objects.visible_to(request.user).order_by("title")
        return [("none", _("in no quiz")), *quizzes.values_list("pk", "title")]

    def queryset(self, request, queryset):
        if self.value() == "none":
            return queryset.filter(used=0)
        # An address holds a text, and the counts beside each choice ask for the number itself.
        if str(self.value()).isdecimal():
            chosen = Quiz.objects.visible_to(request.user).filter(pk=int(self.value()))
            return queryset.filter(Exists(quizzes_asking(chosen)), published=True)
        return queryset


class ListingMixin:
    """ModelAdmin mixin: the columns, filters and search of the list."""

    list_display = (
        *("text", "topic_title", "section", "owner", "state"),
        *("facility_seen", "used_in", "times_asked"),
    )
    list_filter = (
        *(OwnerFilter, "published", "reserved", "asks", FacilityFilter, TagFilter, AskedByFilter),
        *(("section__lesson", ReadableFilter), TopicFilter),
    )
    search_fields = (
        *("prompt", "choices__text", "key", "topic", "title_of_topic"),
        *("section__title", "tags_between", "owner_name"),
    )
    list_select_related = ("section",)
    list_per_page = 50

    def get_queryset(self, request):
        of_key = {"question__key": OuterRef("key"), "question__isnull": False}
        # Counts items of all versions.
        asked = Item.objects.of_learners().filter(**of_key)
        asking = quizzes_asking(Quiz.objects.visible_to(request.user)).order_by()
        titles = asking.values(all=Value(1)).annotate(titles=StringAgg("title", Value(BETWEEN)))
        tags = QuestionTag.objects.filter(key=OuterRef("key")).order_by().values(all=Value(1))
        tags = tags.annotate(tags=StringAgg("tag", Value(BETWEEN)))
        found = super().get_queryset(request).with_owner_name()
        return found.annotate(
            asked=CountedUpTo(asked, MAX_COUNTED),
            facility=Facility(),
            title_of_topic=Subquery(Topic.objects.filter(key=OuterRef("topic")).values("title")),
            used=Case(When(published=True, then=CountedUpTo(asking, MAX_COUNTED)), default=0),
            tags_between=Subquery(tags.values("tags")),
            used_titles=Subquery(titles.values("titles")),
        )

    @display(description=gettext_lazy("Question"), ordering="prompt")
    def text(self, question):
        tags = sorted(filter(None, (question.tags_between or "").split(BETWEEN)))
        return format_html(
            '<span class="qb-text">{}</span> <span class="qb-key">{}</span>{}',
            shorten_prompt(question),
            question.key,
            format_html_join("", ' <span class="qb-tag">{}</span>', ((tag,) for tag in tags)),
        )

    @display(description=gettext_lazy("Topic"), ordering="title_of_topic")
    def topic_title(self, question):
        return question.title_of_topic or question.topic

    @display(description=gettext_lazy("Owner"), ordering="owner_name")
    def owner(self, question):
        if question.owner_name is None:
            return _("the site")
        return format_html("<bdi>{}</bdi>", question.owner_name)

    @display(description=gettext_lazy("State"), ordering="published")
    def state(self, question):
        state = _("published") if question.published else _("draft")
        return _("%(state)s, reserved") % {"state": state} if question.reserved else state

    @display(description=gettext_lazy("Facility"), ordering="facility", empty_value="–")
    def facility_seen(self, question):
        return format_facility(question.facility)

    @display(description=gettext_lazy("Used in"), ordering="used", empty_value="–")
    def used_in(self, question):
        if not question.used:
            return None
        titles = sorted(question.used_titles.split(BETWEEN))
        words = ngettext("%(count)s quiz: %(titles)s", "%(count)s quizzes: %(titles)s", len(titles))
        more = len(titles) - MAX_NAMED
        named = ", ".join(titles[:MAX_NAMED]) + (" …" if more > 0 else "")
        return words % {"count": len(titles), "titles": named}

    @display(description=gettext_lazy("Asked"), ordering="asked")
    def times_asked(self, question):
        return format_capped_count(question.asked, MAX_COUNTED)
