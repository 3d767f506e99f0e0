"""The list of problems: their states, their sizes, and the quizzes that ask them."""

from django.contrib import admin
from django.db.models import Exists, Max, OuterRef, Q, StringAgg, Subquery, Value
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.decorators import display

from quizzes.admin.large import CountedUpTo
from quizzes.admin.questions.listing import FacilityFilter, format_facility
from quizzes.admin.written.builder import format_sizes
from quizzes.analysis.facilities import Facility
from quizzes.models import Quiz, Slot, WrittenProblem
from sharing.admin import OwnerFilter

MAX_COUNTED, MAX_NAMED = 1000, 2
BETWEEN = "\n"


class StateFilter(admin.SimpleListFilter):
    title = gettext_lazy("state")
    parameter_name = "state"

    def lookups(self, request, model_admin):
        return [("draft", _("draft")), ("published", _("published")), ("withdrawn", _("withdrawn"))]

    def queryset(self, request, queryset):
        found = {
            "draft": Q(published_at=None),
            "published": Q(drawn_version__isnull=False),
            "withdrawn": Q(published_at__isnull=False, drawn_version=None),
        }
        return queryset.filter(found.get(self.value(), Q()))


class ListingMixin:
    """ModelAdmin mixin: the columns, filters and search of the list."""

    list_display = ("heading", "state", "owner", "sizes", "facility_seen", "used_in", "saved_at")
    list_filter = (OwnerFilter, StateFilter, FacilityFilter)
    search_fields = ("title", "key", "text")
    list_per_page = 50

    def get_queryset(self, request):
        of_key = WrittenProblem.every.published().filter(key=OuterRef("key")).order_by()
        drawn = of_key.values("key").annotate(most=Max("version")).values("most")
        slots = Slot.objects.filter(quiz=OuterRef("pk"), family=OuterRef(OuterRef("key")))
        asking = Quiz.objects.visible_to(request.user).filter(Exists(slots)).order_by()
        titles = asking.values(all=Value(1)).annotate(titles=StringAgg("title", Value(BETWEEN)))
        return (
            super()
            .get_queryset(request)
            .with_owner_name()
            .annotate(
                drawn_version=Subquery(drawn),
                facility=Facility("slot__family", "key"),
                used=CountedUpTo(asking, MAX_COUNTED),
                used_titles=Subquery(titles.values("titles")),
            )
        )

    @display(description=gettext_lazy("Problem"), ordering="title")
    def heading(self, problem):
        return format_html(
            '<span class="qb-text">{}</span> <span class="qb-key">{}</span>', problem, problem.key
        )

    @display(description=gettext_lazy("State"), ordering="published_at")
    def state(self, problem):
        return describe_state(problem, problem.drawn_version)

    @display(description=gettext_lazy("Owner"), ordering="owner_name")
    def owner(self, problem):
        if problem.owner_name is None:
            return _("the site")
        return format_html("<bdi>{}</bdi>", problem.owner_name)

    @display(description=gettext_lazy("Sizes"), empty_value="–")
    def sizes(self, problem):
        return format_sizes(problem.facts) or None

    @display(description=gettext_lazy("Facility"), ordering="facility", empty_value="–")
    def facility_seen(self, problem):
        return format_facility(problem.facility)

    @display(description=gettext_lazy("Used in"), ordering="used", empty_value="–")
    def used_in(self, problem):
        if not problem.used:
            return None
        titles = sorted(problem.used_titles.split(BETWEEN))
        words = ngettext("%(count)s quiz: %(titles)s", "%(count)s quizzes: %(titles)s", len(titles))
        named = ", ".join(titles[:MAX_NAMED]) + (" …" if len(titles) > MAX_NAMED else "")
        return words % {"count": len(titles), "titles": named}


def describe_state(problem: WrittenProblem, drawn: int | None) -> str:
    """Return the state of a problem's newest version, and which one is drawn from meanwhile."""
    if not problem.is_draft:
        words = _("withdrawn v%(version)s") if problem.withdrawn_at else _("published v%(version)s")
        return words % {"version": problem.version}
    if drawn is None:
        return _("draft")
    return _("draft of v%(version)s, published v%(drawn)s") % {
        "version": problem.version,
        "drawn": drawn,
    }
