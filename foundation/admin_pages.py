"""Mixins for a ModelAdmin: custom pages, and read-only rows."""

from collections.abc import Callable
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.template.response import TemplateResponse
from django.urls import URLPattern, path

View = Callable[..., Any]


class OwnPages:
    """Mixin: custom pages within the admin's layout and behind its login."""

    opts: Any
    admin_site: Any

    def own_url(self, route: str, view: View, name: str) -> URLPattern:
        """Return a URL pattern for `get_urls`, named as Django names those of the model."""
        whole = f"{self.opts.app_label}_{self.opts.model_name}_{name}"
        return path(route, self.admin_site.admin_view(view), name=whole)

    def get_row_or_404(self, request: HttpRequest, object_id: str, may: View | None = None) -> Any:
        """Return the row with this id.

        Raises:
            Http404: there is no such row.
            PermissionDenied: `may` returns False for it.
        """
        row = self.get_object(request, object_id)  # type: ignore[attr-defined]
        if row is None:
            raise Http404
        if may and not may(request, row):
            raise PermissionDenied
        return row

    def render_own_page(
        self, request: HttpRequest, template: str, title: str, *, status: int = 200, **context: Any
    ) -> TemplateResponse:
        """Return a page with the admin's header, navigation and breadcrumbs."""
        around = self.admin_site.each_context(request) | {"title": title, "opts": self.opts}
        return TemplateResponse(request, template, around | context, status=status)


class ReadOnly:
    """Mixin: a read-only list of rows, which services write."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
