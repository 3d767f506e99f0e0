"""Actions on several concept questions: publish, withdraw, change and duplicate."""

from django import forms
from django.contrib import messages
from django.contrib.admin.models import ADDITION, CHANGE, LogEntry
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from unfold.decorators import action

from foundation.admin_pages import OwnPages
from lessons.pages.queries import sections_readable_by
from quizzes.admin.questions.forms import ChangeForm, SectionField
from quizzes.admin.questions.listing import shorten_prompt
from quizzes.authoring.services.bank import change_questions, duplicate_questions, publish_questions
from quizzes.items.services.questions import withdraw_questions

# Where a page of the admin has the field with a fault.
ANCHORS = {"choices": "choices-group"}


class SectionForm(forms.Form):
    """The section of those questions that have none."""

    section = SectionField()


class BulkMixin(OwnPages):
    """ModelAdmin mixin: actions that say what they did to how many, and what they left and why."""

    actions = ("publish", "withdraw", "change_several", "duplicate_several")

    @action(description=gettext_lazy("Publish"), permissions=["change"])
    def publish(self, request, queryset):
        """Publish the drafts; if some have faults, list these with links to mend them."""
        questions = self.editable(request, queryset)
        there = questions.filter(published=True).count()
        form = SectionForm(request.POST if "section" in request.POST else None)
        form.fields["section"].queryset = sections_readable_by(request.user)
        section = form.cleaned_data["section"] if form.is_valid() else None
        published, refused = publish_questions(questions=questions, section=section)
        self._log(request, published, CHANGE, _("Published"))
        if published:
            words = ngettext(
                "%(count)s question has been published.",
                "%(count)s questions have been published.",
                len(published),
            )
            messages.success(request, words % {"count": len(published)})
        if there:
            words = ngettext(
                "%(count)s question was already published.",
                "%(count)s questions were already published.",
                there,
            )
            messages.info(request, words % {"count": there})
        if not refused:
            return None
        title = ngettext(
            "%(count)s question hasn’t been published",
            "%(count)s questions haven’t been published",
            len(refused),
        )
        return self.render_own_page(
            request,
            "quizzes/admin/publish_questions.html",
            title % {"count": len(refused)},
            refused=[_describe_faults(question, faults) for question, faults in refused],
            form=form if any(question.section_id is None for question, _faults in refused) else "",
        )

    @action(
        description=gettext_lazy("Withdraw (attempts in progress continue)"), permissions=["change"]
    )
    def withdraw(self, request, queryset):
        """Ask the questions no more in attempts that start later."""
        published = self.editable(request, queryset).filter(published=True)
        withdrawn = list(published)
        withdraw_questions(keys=[question.key for question in withdrawn])
        self._log(request, withdrawn, CHANGE, _("Withdrawn"))
        words = ngettext(
            "%(count)s question has been withdrawn. It’s a draft now.",
            "%(count)s questions have been withdrawn. They’re drafts now.",
            len(withdrawn),
        )
        messages.success(request, words % {"count": len(withdrawn)})

    @action(description=gettext_lazy("Change section, topic or tags"), permissions=["change"])
    def change_several(self, request, queryset):
        """Ask what is to change, then change it."""
        questions = self.editable(request, queryset)
        chosen = list(questions)
        if not chosen:
            return None
        form = ChangeForm(request.POST if "apply" in request.POST else None)
        form.fields["section"].queryset = sections_readable_by(request.user)
        if form.is_valid():
            count = change_questions(
                questions=questions,
                topic=form.cleaned_data["topic"],
                title=form.cleaned_data["new_topic"],
                section=form.cleaned_data["section"],
                added=form.cleaned_data["add_tags"],
                removed=form.cleaned_data["remove_tags"],
            )
            names = (name for name in form.changed_data if form.cleaned_data[name])
            labels = ", ".join(str(form.fields[name].label) for name in names)
            self._log(request, chosen, CHANGE, labels)
            words = ngettext(
                "%(count)s question has been changed: %(what)s.",
                "%(count)s questions have been changed: %(what)s.",
                count,
            )
            messages.success(request, words % {"count": count, "what": labels})
            return None
        title = ngettext("Change %(count)s question", "Change %(count)s questions", len(chosen))
        return self.render_own_page(
            request,
            "quizzes/admin/change_questions.html",
            title % {"count": len(chosen)},
            form=form,
            chosen=[(question.pk, shorten_prompt(question)) for question in chosen],
        )

    @action(description=gettext_lazy("Duplicate"), permissions=["duplicate"])
    def duplicate_several(self, request, queryset):
        """Copy the questions, also those that the instructor may only read."""
        copies = duplicate_questions(questions=queryset, by=request.user)
        self._log(request, copies, ADDITION, _("Duplicated"))
        words = ngettext(
            "%(count)s copy has been added as a draft: %(keys)s.",
            "%(count)s copies have been added as drafts: %(keys)s.",
            len(copies),
        )
        keys = ", ".join(copy.key for copy in copies)
        messages.success(request, words % {"count": len(copies), "keys": keys})

    # Named here: unfold asks the database about a permission by its full name, at every start.
    def has_duplicate_permission(self, request, object_id=None):
        return self.has_add_permission(request)

    def _log(self, request, questions, flag, message):
        LogEntry.objects.log_actions(request.user.pk, questions, flag, message)


def _describe_faults(question, faults):
    """Return the key, the words and the faults of a question, each with its field's anchor."""
    return {
        "pk": question.pk,
        "key": question.key,
        "words": shorten_prompt(question),
        "faults": [(words, ANCHORS.get(field, f"id_{field}")) for words, field in faults],
    }
