"""Read-only admin for messages, with actions to retry or drop them."""

from django.contrib import admin, messages
from django.contrib.admin import SimpleListFilter
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from unfold.admin import ModelAdmin
from unfold.decorators import action, display

from foundation.admin_pages import ReadOnly
from foundation.folded_names import folded_words
from foundation.large_lists import LargeAdmin, keys_of_people_named
from outbox import services
from outbox.kinds import kinds
from outbox.models import Message
from outbox.notifier import sending_notifier

STATE_COLOURS = {"waiting": "warning", "sent": "success", "failed": "danger"}


class KindFilter(SimpleListFilter):
    """Filter by the registered kinds: collecting them from a million messages would take long."""

    title = _("kind")
    parameter_name = "kind"

    def lookups(self, request, model_admin):
        return [(kind.key, kind.title) for kind in kinds()]

    def queryset(self, request, queryset):
        return queryset.filter(kind=self.value()) if self.value() else queryset


@admin.register(Message)
class MessageAdmin(ReadOnly, LargeAdmin, ModelAdmin):
    list_display = (
        "created",
        "to",
        "address",
        "shown_kind",
        "shown_state",
        "tries",
        "due",
        "sent_at",
    )
    list_filter = ("state", KindFilter, "created")
    list_select_related = ("to",)
    sortable_by = ("created",)
    search_fields = ("to__email",)  # see get_search_results
    search_help_text = _("Finds people by name or email address.")
    fields = (
        *("to", "shown_kind", "shown_state", "created", "due", "tries", "claimed_until"),
        *("trouble", "sent_at", "address", "subject", "text", "payload", "key"),
    )
    readonly_fields = fields
    actions = ("send_again", "drop")

    def has_sending_permission(self, request):
        return request.user.has_perm("outbox.change_message")

    def get_search_results(self, request, queryset, search_term):
        found = queryset
        if folded_words(search_term):
            found = queryset.filter(to__in=keys_of_people_named(search_term))
        return found, False

    @display(description=_("Kind"))
    def shown_kind(self, message):
        return message.kind_title

    @display(description=_("State"), label=STATE_COLOURS)
    def shown_state(self, message):
        return message.state, message.get_state_display()

    @action(description=_("Retry failed messages"), permissions=["sending"])
    def send_again(self, request, queryset):
        count = services.send_again(messages=queryset)
        sending_notifier.wake_after_commit()
        words = ngettext(
            "%(count)s message will be sent again.", "%(count)s messages will be sent again.", count
        )
        self.message_user(request, words % {"count": count}, messages.SUCCESS)

    @action(description=_("Drop failed and waiting messages"), permissions=["sending"])
    def drop(self, request, queryset):
        count = services.drop(messages=queryset)
        words = ngettext("%(count)s message dropped.", "%(count)s messages dropped.", count)
        self.message_user(request, words % {"count": count}, messages.SUCCESS)
