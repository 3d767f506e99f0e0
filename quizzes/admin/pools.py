"""Admin: who has taken a quiz, and the pools of its concept questions."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.decorators import action

from foundation.admin_pages import OwnPages
from quizzes.authoring.presenters.pools import pools_context
from quizzes.authoring.queries import student_count
from quizzes.authoring.services.pools import freeze_pools, pool_changes
from quizzes.authoring.services.slots import take_newest_versions
from quizzes.items.presenters.skills import slot_title
from quizzes.items.queries import topic_titles
from quizzes.models import Quiz
from quizzes.notifiers import stocking_notifier
from quizzes.written.queries import newer_versions

MAX_COUNTED = 1000


class PoolsMixin(OwnPages):
    """ModelAdmin mixin: notices of a quiz's use, and the page of its pools."""

    change_form_before_template = "quizzes/admin/asked_quiz.html"

    class Media:
        css = {"all": ["quizzes/authoring/versions.css"]}

    def changeform_view(self, request, object_id=None, form_url="", extra_context=None):
        # The id from the address may be no key at all.
        quiz = self.get_object(request, object_id) if object_id else None
        students = student_count(quiz.pk, MAX_COUNTED) if quiz else 0
        words = ngettext(
            "%(count)s student has taken or practised this quiz.",
            "%(count)s students have taken or practised this quiz.",
            students,
        )
        if students >= MAX_COUNTED:
            words = _("At least %(count)s students have taken or practised this quiz.")
        context = {"asked": words % {"count": students} if students else ""}
        return super().changeform_view(
            request, object_id, form_url, context | (extra_context or {})
        )

    def report_replaced(self, request: HttpRequest, slots: int) -> None:
        """Tell the author how many slots got a new version."""
        if slots:
            words = ngettext(
                "%(count)s slot had already been used, so a new one has replaced "
                "it. What students saw hasn’t changed.",
                "%(count)s slots had already been used, so new ones have "
                "replaced them. What students saw hasn’t changed.",
                slots,
            )
            self.message_user(request, words % {"count": slots}, messages.INFO)

    @action(description=gettext_lazy("Pools"), icon="inventory_2", permissions=["view"])
    def pools(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show the frozen pools, and what freezing again would change. A POST freezes again."""
        quiz = self.get_row_or_404(request, object_id)
        may_freeze = self.has_change_permission(request, quiz)
        if request.method == "POST":
            if not may_freeze:
                raise PermissionDenied
            self._refresh(request, quiz)
            return redirect("admin:quizzes_quiz_pools", quiz.pk)
        changes = pool_changes(quiz)
        newer = newer_versions(quiz.slots.order_by("position"))
        takes = any(not lacking for _slot, _version, lacking in newer)
        return self.render_own_page(
            request,
            "quizzes/admin/pools.html",
            _("Pools of %s") % quiz,
            quiz=quiz,
            pools=pools_context(changes, topic_titles()),
            newer=[
                (
                    slot,
                    slot_title(slot, {}),
                    version,
                    ", ".join(f"{name} {size}" for name, size in lacking.items()),
                )
                for slot, version, lacking in newer
            ],
            takes=takes,
            may_freeze=may_freeze and (takes or any(each.changes for each in changes)),
        )

    def _refresh(self, request: HttpRequest, quiz: Quiz) -> None:
        """Freeze the pools of a published quiz, take the newest problems, and say what was done."""
        if quiz.published:
            freeze_pools(quiz=quiz)
            self.message_user(request, _("The pools have been frozen again."), messages.SUCCESS)
        taken = take_newest_versions(quiz=quiz)
        if taken.troubles:
            words = _("The newest versions of problems weren’t taken. %(troubles)s")
            troubles = " ".join(taken.troubles)
            self.message_user(request, words % {"troubles": troubles}, messages.ERROR)
        if taken.slots:
            words = ngettext(
                "%(count)s slot now asks the newest version of its problem.",
                "%(count)s slots now ask the newest versions of their problems.",
                taken.slots,
            )
            self.message_user(request, words % {"count": taken.slots}, messages.SUCCESS)
            stocking_notifier.wake_after_commit()
