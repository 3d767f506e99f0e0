"""Read-only admin for events."""

import json

from django.contrib import admin
from django.contrib.admin import SimpleListFilter
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.contrib.filters.admin import AutocompleteSelectFilter
from unfold.decorators import display

from audit import verbs
from audit.models import Event
from foundation.admin_pages import ReadOnly
from foundation.large_lists import LargeAdmin, keys_of_people_named

# Objects, and people whose name thousands share, are searched for among this many of the newest
# events; other people among all events.
MAX_SEARCHED = 100_000


class VerbFilter(SimpleListFilter):
    """Filter by the registered verbs: collecting them from a million events would take long."""

    title = _("what")
    parameter_name = "verb"

    def lookups(self, request, model_admin):
        return [(verb, verb) for verb in verbs.registered_verbs()]

    def queryset(self, request, queryset):
        return queryset.filter(verb=self.value()) if self.value() else queryset


@admin.register(Event)
class EventAdmin(ReadOnly, LargeAdmin, ModelAdmin):
    list_display = ("at", "who", "what", "scope", "reason")
    list_filter = (VerbFilter, ("actor", AutocompleteSelectFilter), "at")
    list_filter_submit = True
    list_select_related = ("actor", "person")
    sortable_by = ("at",)
    search_fields = ("target_words",)  # see get_search_results
    search_help_text = _(
        "Finds people by name or email address. Objects, and people whose names "
        "are very common, are found only among the newest 100,000 events."
    )
    fields = ("at", "who", "what", "verb", "scope", "values_before", "values_after", "reason")
    readonly_fields = fields

    def get_search_results(self, request, queryset, search_term):
        """Search for objects, or people by name or address, that contain every word."""
        words = search_term.replace("\0", "").split()
        if not words:
            return queryset, False
        named = keys_of_people_named(search_term)
        newest = queryset.order_by("-at", "-pk").values_list("at", flat=True)
        oldest = newest[MAX_SEARCHED - 1 : MAX_SEARCHED]
        recent = Q(at__gte=oldest[0]) if oldest else Q()
        things = Q()
        for word in words:
            things &= Q(target_words__icontains=word)
        people = Q(actor__in=named) | Q(person__in=named)
        # An index finds all events of a few people; for thousands, each event has to be looked at.
        found = people | recent & things if isinstance(named, list) else recent & (people | things)
        return queryset.filter(found), False

    @display(description=_("Who"))
    def who(self, event):
        return event.actor_name

    @display(description=_("What"))
    def what(self, event):
        return event.description

    @display(description=_("Before"))
    def values_before(self, event):
        return _as_lines(event.before)

    @display(description=_("After"))
    def values_after(self, event):
        return _as_lines(event.after)


def _as_lines(values):
    lines = (
        f"{name}: {json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)}"
        for name, value in values.items()
    )
    return "\n".join(lines) or "—"
