"""Admin mixins that limit shared rows to what each instructor may read, edit or own."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import Exists, Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.decorators import action

from foundation.admin_pages import OwnPages
from foundation.keys import parse_key
from sharing.forms import ShareForm
from sharing.models import IS_OWNER, Access, OwnedQuerySet, shares_of
from sharing.services import add_owner, share, stop_sharing

# Rows that a message names.
MAX_NAMED = 5
ACCESS_ORDER = (Access.OWN, Access.EDIT, Access.READ)


class OwnerFilter(admin.SimpleListFilter):
    """Filter by owner: mine, shared with me, the site's."""

    title = gettext_lazy("owner")
    parameter_name = "whose"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("mine", _("mine")), ("shared", _("shared with me")), ("site", _("the site’s"))]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        rows = type(queryset.model._default_manager.all())
        own_shares = rows.shares().filter(user=request.user.pk)
        mine = own_shares.filter(access=Access.OWN)
        if self.value() == "mine":
            return queryset.filter(Exists(mine))
        if self.value() == "shared":
            return queryset.filter(Exists(own_shares.exclude(access=Access.OWN)))
        if self.value() == "site":
            return queryset.of_the_site()
        return queryset


class ReadableFilter(admin.RelatedFieldListFilter):
    """Filter by a related row, offering only the rows that the instructor may read."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        rows = readable_rows(field.related_model, request.user)
        return [(row.pk, str(row)) for row in rows]


def readable_rows(model: type[Model], user: Any) -> QuerySet[Any]:
    """Return the rows of a model that the user may read; all, if the model has no owners."""
    rows = model._default_manager.all()
    return rows.visible_to(user) if isinstance(rows, OwnedQuerySet) else rows


class ReadableForeignKeys:
    """Offer in forms the rows the instructor may read, and the one already chosen."""

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **options: Any) -> Any:
        rows = db_field.related_model._default_manager.all()
        if isinstance(rows, OwnedQuerySet):
            visible = rows.visible_to(request.user).values("pk")
            at = request.resolver_match
            edited = self.model._base_manager.filter(  # type: ignore[attr-defined]
                pk=parse_key(at.kwargs.get("object_id", "") if at else "")
            )
            named = edited.values(db_field.attname)
            options.setdefault("queryset", rows.filter(Q(pk__in=visible) | Q(pk__in=named)))
        return super().formfield_for_foreignkey(db_field, request, **options)  # type: ignore[misc]


class OwnedAdmin(OwnPages, ReadableForeignKeys):
    """Mixin for the ModelAdmin of shared rows.

    Lists, searches, autocompletes, actions and pages start from the rows the instructor may read;
    saving requires that they may edit the row, deleting and sharing that they own it.
    """

    def get_queryset(self, request: HttpRequest) -> Any:
        rows = super().get_queryset(request).visible_to(request.user)  # type: ignore[misc]
        return rows if request.user.is_superuser else rows.with_rights(request.user)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        permitted = super().has_change_permission(request, obj)  # type: ignore[misc]
        return permitted and self._is_permitted("editable_by", request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        permitted = super().has_delete_permission(request, obj)  # type: ignore[misc]
        return permitted and self._is_permitted("owned_by", request, obj)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        permitted = super().has_view_permission(request, obj)  # type: ignore[misc]
        return permitted and self._is_permitted("visible_to", request, obj)

    def has_share_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return obj is not None and self._is_permitted("owned_by", request, obj)

    def _is_permitted(self, which: str, request: HttpRequest, obj: Any) -> bool:
        """Return whether the row, or the row with this key, is in the user's queryset `which`."""
        key = getattr(obj, "pk", obj)
        if key is None or request.user.is_superuser:
            return True
        if hasattr(obj, "is_owned"):  # it was read by `get_queryset`
            found = {"visible_to": True, "editable_by": obj.is_editable, "owned_by": obj.is_owned}
            return found[which]
        # One page checks the same row many times.
        asked = request.__dict__.setdefault("_may", {})
        of_model = type(obj) if isinstance(obj, Model) else self.model  # type: ignore[attr-defined]
        if (of_model, str(key)) not in asked:
            rows = of_model._default_manager.all()
            asked[of_model, str(key)] = rows.may(request.user, parse_key(str(key)))
        return asked[of_model, str(key)][which]

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)  # type: ignore[misc]
        if not change:
            add_owner(row=form.instance, user=request.user)

    def editable(self, request: HttpRequest, queryset: Any) -> Any:
        """Return the rows an action may change, with a warning about those it must leave."""
        found = queryset.editable_by(request.user)
        if left := queryset.count() - found.count():
            words = ngettext(
                "%(count)s of those selected was left as it is, because you can only "
                "read it: %(names)s.",
                "%(count)s of those selected were left as they are, because you can "
                "only read them: %(names)s.",
                left,
            )
            unchanged = queryset.exclude(pk__in=found.values("pk"))[:MAX_NAMED]
            names = ", ".join(map(str, unchanged)) + (" …" if left > MAX_NAMED else "")
            messages.warning(request, words % {"count": left, "names": names})
        return found

    @action(description=gettext_lazy("Share"), icon="group", permissions=["share"])
    def sharing(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """List the shares of a row; on POST, share it with one more person or stop sharing it."""
        row = self.get_row_or_404(request, object_id, self.has_share_permission)
        shares = shares_of(row).select_related("user", "by")
        owners = shares.filter(IS_OWNER)
        # Only administrators leave something without an owner.
        keep = owners if len(owners) == 1 and not request.user.is_superuser else []
        form = ShareForm(request.POST if "access" in request.POST else None)
        here = f"admin:{self.opts.app_label}_{self.opts.model_name}_sharing"
        if "stop" in request.POST:
            stopped = get_object_or_404(shares, pk=parse_key(request.POST["stop"]))
            if stopped in keep:
                messages.error(
                    request, _("You’re the only owner. Make someone else an owner first.")
                )
                return redirect(here, row.pk)
            stop_sharing(row=row, user=stopped.user, by=request.user)
            messages.success(
                request, _("It’s no longer shared with %s.") % _recipient_name(stopped)
            )
            still = self.get_object(request, object_id) is not None  # type: ignore[attr-defined]
            return redirect(here, row.pk) if still else redirect("admin:index")
        if form.is_valid():
            access = form.cleaned_data["access"]
            if access != Access.OWN and form.user in [each.user for each in keep]:
                form.add_error(
                    "access", _("You’re the only owner. Make someone else an owner first.")
                )
            else:
                share(row=row, user=form.user, access=access, by=request.user)
                messages.success(request, _("Shared."))
                return redirect(here, row.pk)
        return self.render_own_page(
            request,
            "sharing/share.html",
            _("Share %s") % row,
            status=400 if form.errors else 200,
            original=row,
            shares=sorted(shares, key=lambda each: (ACCESS_ORDER.index(each.access), each.since)),
            is_sites=not owners,
            keep=[each.pk for each in keep],
            back=reverse(here.replace("_sharing", "_change"), args=[row.pk]),
            form=form,
        )


class DuplicatingMixin(OwnPages):
    """Mixin for a ModelAdmin that lets instructors duplicate a row.

    Attributes:
        duplicate_template: the page that asks for confirmation.
        duplicated: the message shown with the copy.
    """

    duplicate_template: str
    duplicated: Any

    def copy_of(self, request: HttpRequest, row: Any) -> Any:
        """Return a copy of the row; None, after a message, if it cannot be copied."""
        raise NotImplementedError

    @action(description=gettext_lazy("Duplicate"), icon="content_copy", permissions=["duplicate"])
    def duplicate(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for confirmation, then copy the row on POST."""
        row = self.get_row_or_404(request, object_id)
        if request.method == "POST":
            if copy := self.copy_of(request, row):
                messages.success(request, self.duplicated)
            change = f"admin:{self.opts.app_label}_{self.opts.model_name}_change"
            return redirect(change, (copy or row).pk)
        title = _("Duplicate %s?") % row
        return self.render_own_page(request, self.duplicate_template, title, original=row)

    # Defined here, because unfold looks up a permission with a full name at every start.
    def has_duplicate_permission(self, request: HttpRequest, object_id: str | None = None) -> bool:
        return self.has_add_permission(request)  # type: ignore[attr-defined]


def _recipient_name(stopped: Any) -> str:
    return stopped.user.email if stopped.user else _("every instructor")
