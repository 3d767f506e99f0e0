"""The Markdown editor's preview."""

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.csp import CSP
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.csp import csp_override

from lessons.admin.typed import known_references, typed_words
from lessons.authoring.previews import Preview, preview

# The editor shows the preview in a frame. It needs no script, so none may run in it.
PREVIEW_CSP = settings.SECURE_CSP | {"script-src": [CSP.NONE], "frame-ancestors": [CSP.SELF]}


@never_cache
@xframe_options_sameorigin
@csp_override(PREVIEW_CSP)
def preview_view(request: HttpRequest) -> HttpResponse:
    """Preview the form field that `preview_of` names: as JSON for the editor, else as a page.

    With GET, return the empty page that the editor fills.
    """
    may_write = request.user.has_perm("lessons.change_lesson")
    if not (request.user.is_staff and (may_write or request.user.has_perm("lessons.add_lesson"))):
        raise PermissionDenied
    shown = _preview_of(request) if request.method == "POST" else Preview()
    if request.get_preferred_type(["text/html", "application/json"]) == "application/json":
        return JsonResponse({"html": shown.html, "error": shown.error, "line": shown.line})
    return render(request, "lessons/admin/preview.html", {"preview": shown})


def _preview_of(request: HttpRequest) -> Preview:
    field = request.POST.get("preview_of", "")
    text = request.POST.get(field, "").replace("\r\n", "\n").strip()
    return preview(
        text,
        known=known_references(request.POST),
        words=typed_words(request.POST),
        automatic=field.startswith("sections-"),
    )
