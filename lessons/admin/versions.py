"""A lesson's history in the admin: its versions, their differences, and restoring them."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from foundation.admin_pages import OwnPages
from lessons.authoring.differences import differences
from lessons.authoring.files import LessonFile
from lessons.authoring.history import version_at, versions_of
from lessons.authoring.services import restore_lesson, restored_source
from lessons.errors import ContentError
from lessons.models import Lesson

NOTHING = LessonFile({}, (), ())


class VersionsMixin(OwnPages):
    """Mixin for the lessons' ModelAdmin: pages of a lesson's versions."""

    def get_urls(self):
        version = "<path:object_id>/history/<slug:stamp>/"
        return [
            self.own_url(version, self.version_view, "version"),
            self.own_url(f"{version}restore/", self.restore_view, "restore"),
            *super().get_urls(),
        ]

    def history_view(self, request: HttpRequest, object_id: str, extra_context=None):
        """List the lesson's versions. Django's own log would not say what changed."""
        lesson = self._lesson(request, object_id)
        title = _("History of %(name)s") % {"name": lesson}
        return self._page(request, lesson, "history", title, versions=versions_of(lesson))

    def version_view(self, request: HttpRequest, object_id: str, stamp: str) -> HttpResponse:
        """Show the changes of one version."""
        lesson = self._lesson(request, object_id)
        version, before = self._version(lesson, stamp)
        then = version_at(lesson, version.when)
        return self._page(
            request,
            lesson,
            "version",
            _("%(lesson)s, %(when)s") % {"lesson": lesson, "when": _when(version)},
            version=version,
            first=before is None,
            differences=differences(version_at(lesson, before.when) if before else NOTHING, then),
            is_now=not differences(then, version_at(lesson, versions_of(lesson)[0].when)),
            may_restore=self.has_change_permission(request, lesson),
        )

    def restore_view(self, request: HttpRequest, object_id: str, stamp: str) -> HttpResponse:
        """Show all that would change, and restore the version after confirmation."""
        lesson = self._lesson(request, object_id, change=True)
        version, _before = self._version(lesson, stamp)
        source = version_at(lesson, version.when)
        if request.method == "POST":
            reason = _("Restored the version of %s") % _when(version)
            try:
                restore_lesson(lesson=lesson, source=source, user=request.user, reason=reason)
            except ContentError as error:
                messages.error(request, _("This version can’t be restored as it was. %s") % error)
                return redirect("admin:lessons_lesson_version", lesson.pk, stamp)
            messages.success(request, _("The lesson has been restored (%s).") % _when(version))
            return redirect("admin:lessons_lesson_change", lesson.pk)
        now = version_at(lesson, versions_of(lesson)[0].when)
        found = differences(now, restored_source(lesson, source))
        title = _("Restore %s?") % lesson
        context = {"version": version, "differences": found, "when": _when(version)}
        return self._page(request, lesson, "restore", title, **context)

    def _lesson(self, request: HttpRequest, object_id: str, *, change: bool = False) -> Lesson:
        lesson = self.get_object(request, object_id)  # whatever the URL has in its place
        allowed = self.has_change_permission if change else self.has_view_permission
        if lesson is None or not allowed(request, lesson):
            raise Http404
        return lesson

    def _version(self, lesson: Lesson, stamp: str):
        """Return the version with this stamp and the one before it, or None for that."""
        versions = versions_of(lesson)
        for number, version in enumerate(versions):
            if version.stamp == stamp:
                return version, next(iter(versions[number + 1 :]), None)
        raise Http404

    def _page(self, request: HttpRequest, lesson: Lesson, name: str, title: str, **context):
        context |= {"original": lesson, "lesson": lesson}
        context["back"] = reverse("admin:lessons_lesson_change", args=[lesson.pk])
        return self.render_own_page(request, f"lessons/admin/{name}.html", title, **context)


def _when(version) -> str:
    return date_format(localtime(version.when), "DATETIME_FORMAT")
