"""A ModelAdmin whose page does not undo what somebody else saved while it was open."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import flatten_fieldsets, unquote
from django.db import transaction
from django.db.models import CharField
from django.http import HttpRequest, HttpResponse

from foundation.keys import parse_key
from foundation.lost_updates import (
    BOTH,
    OPENED,
    TAKEN,
    Opened,
    describe_last_save,
    opened_on,
    rebase,
)


class GuardedAdmin:
    """Mixin: report conflicting saves, keep what was typed, and save at the second try."""

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        shown = super().changeform_view  # type: ignore[misc]
        if request.method != "POST" or object_id is None:
            return shown(request, object_id, form_url, extra_context)
        with transaction.atomic():
            rows = self.model._base_manager.select_for_update()  # type: ignore[attr-defined]
            is_text = isinstance(self.model._meta.pk, CharField)  # type: ignore[attr-defined]
            key = unquote(object_id) if is_text else parse_key(object_id)
            list(rows.filter(pk=key).order_by().values_list("pk"))
            self._rebase(request, object_id)
            return shown(request, object_id, form_url, extra_context)

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **options: Any
    ) -> Any:
        form = super().get_form(request, obj, change=change, **options)  # type: ignore[misc]
        if getattr(request, "rebased", None):
            return type(form.__name__, (_Refused, form), {})
        return form

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], **more: Any
    ) -> HttpResponse:
        obj = context["original"]
        if obj is not None and self.has_change_permission(request, obj):  # type: ignore[attr-defined]
            rebased = getattr(request, "rebased", None)
            context |= {"rebased": rebased, "taken": TAKEN, "both": BOTH}
            if request.method == "POST":
                context["opened"] = request.POST.get(OPENED, "")
            else:
                formsets = [
                    each.formset
                    for each in context["inline_admin_formsets"]
                    if each.has_change_permission
                ]
                context["opened"] = opened_on(context["adminform"].form, formsets)
        return super().render_change_form(request, context, **more)  # type: ignore[misc]

    def saved_last(self, obj: Any) -> tuple[object, datetime] | None:
        """Return who last saved a row and when, or None if that is not known."""
        entry = (
            LogEntry.objects.filter(object_id=obj.pk, content_type__model=obj._meta.model_name)
            .filter(content_type__app_label=obj._meta.app_label)
            .select_related("user")
            .first()  # the newest
        )
        return entry and (entry.user, entry.action_time)

    def _rebase(self, request: HttpRequest, object_id: str) -> None:
        """Put the sent values on top of the stored ones, if these have changed meanwhile."""
        opened = Opened.read(request.POST)
        obj = opened and self.get_object(request, object_id)  # type: ignore[attr-defined]
        if not opened or obj is None or not self.has_change_permission(request, obj):  # type: ignore[attr-defined]
            return
        fields = flatten_fieldsets(self.get_fieldsets(request, obj))  # type: ignore[attr-defined]
        form = self.get_form(request, obj, change=True, fields=fields)(instance=obj)
        rebased = rebase(
            request.POST, opened, form, self._formsets(request, obj), uploaded=request.FILES
        )
        if rebased:
            request.POST = rebased.data  # type: ignore[assignment]
            request.rebased = rebased  # type: ignore[attr-defined]
            last = self.saved_last(obj)
            rebased.who = describe_last_save(last, since=opened.at, by=request.user)

    def _formsets(self, request: HttpRequest, obj: Any) -> Iterator[Any]:
        """Yield unbound formsets of the stored rows that the user may change."""
        for of_rows, inline in self.get_formsets_with_inlines(request, obj):  # type: ignore[attr-defined]
            if inline.has_change_permission(request, obj):
                prefix = of_rows.get_default_prefix()
                yield of_rows(instance=obj, prefix=prefix, queryset=inline.get_queryset(request))


class _Refused:
    """A form that is not saved, because it was opened on older values; its page explains this."""

    def is_valid(self) -> bool:
        super().is_valid()  # type: ignore[misc]
        return False
