"""The inline of slots on the admin page of their quiz."""

from django.forms.models import inlineformset_factory
from unfold.admin import StackedInline

from quizzes.admin.slots.forms import SlotForm
from quizzes.admin.slots.formset import MAX_SHOWN, SlotFormSet
from quizzes.models import SLOT_COUNT, Quiz, Slot

# A draft may have more slots than a quiz, to choose from.
MAX_SLOTS = 2 * SLOT_COUNT


class SlotInline(StackedInline):
    """Slots, with the permissions of their quiz."""

    model = Slot
    form = SlotForm
    template = "quizzes/admin/slots.html"

    def get_queryset(self, request):
        return super().get_queryset(request).order_by("position")

    def get_formset(self, request, obj=None, **kwargs):
        there = obj.slots.count() if obj else 0
        may_change = self.has_change_permission(request, obj)
        made = inlineformset_factory(
            Quiz,
            Slot,
            form=SlotForm,
            formset=SlotFormSet,
            extra=max(0, SLOT_COUNT - there) if may_change else 0,
            max_num=MAX_SLOTS,
            absolute_max=MAX_SHOWN,
            validate_max=True,
        )
        made.user = request.user
        made.links = self.admin_site.get_model_admin(Quiz).slot_links
        return made

    def get_fields(self, request, obj=None):
        return SlotForm._meta.fields

    def has_view_permission(self, request, obj=None):
        return request.user.has_perm("quizzes.view_quiz") or self.has_change_permission(request)

    def has_add_permission(self, request, obj=None):
        return self.has_change_permission(request, obj)

    def has_change_permission(self, request, obj=None):
        return request.user.has_perm(f"quizzes.{'change' if obj else 'add'}_quiz")

    def has_delete_permission(self, request, obj=None):
        return self.has_change_permission(request, obj)
