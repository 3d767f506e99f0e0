"""Forms for making, filtering and answering reports."""

from datetime import timedelta

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from foundation.filters import FilterForm
from foundation.keys import KEY, MAX_REVISION
from quizzes.models import MAX_ANSWER_LENGTH, MAX_SENTENCE_LENGTH
from quizzes.reports.queries import ANSWERED, EVERY, OPEN
from quizzes.reports.services import Recipients, Reply


class ReportForm(forms.Form):
    """An optional sentence about what is wrong with a question."""

    sentence = forms.CharField(required=False, max_length=MAX_SENTENCE_LENGTH)


class ReportFilter(FilterForm):
    """Filters of the list of reports."""

    state = forms.ChoiceField(
        label=_("State"),
        required=False,
        choices=[(OPEN, _("open")), (ANSWERED, _("answered")), (EVERY, _("all"))],
    )
    quiz = forms.ChoiceField(label=_("Quiz"), required=False)
    about = forms.ChoiceField(label=_("Question"), required=False)

    @property
    def is_narrow(self) -> bool:
        """Return whether the filter leaves out open reports."""
        asked = self.asked
        leaves_out = asked.get("quiz") or asked.get("about")
        return bool(asked.get("state") == ANSWERED or leaves_out)


class AnswerForm(forms.Form):
    """The answer to a report, and the other reports it goes to."""

    answer = forms.CharField(
        label=_("Reply"),
        max_length=MAX_ANSWER_LENGTH,
        error_messages={"required": _("Enter a reply first.")},
    )
    to = forms.ChoiceField(label=_("Send the reply to"), choices=Recipients, required=False)
    version = forms.IntegerField(min_value=0, max_value=MAX_REVISION, widget=forms.HiddenInput)
    shown_at = forms.DateTimeField(required=False, widget=forms.HiddenInput)

    @property
    def report_key(self) -> int:
        """The primary key of the report that is answered; 0 if none is sent."""
        key = self.data.get("report", "")
        return int(key) if KEY.fullmatch(key) else 0

    @property
    def typed(self) -> str:
        return self.data.get("answer", "")[: 20 * MAX_ANSWER_LENGTH]

    @property
    def reply(self) -> Reply:
        cleaned = self.cleaned_data
        shown_at = cleaned["shown_at"]
        # Other times come from no page, and may lie beyond the database's calendar.
        near = shown_at and timedelta(0) <= timezone.now() - shown_at < timedelta(days=366)
        return Reply(
            report=self.report_key,
            version=cleaned["version"],
            text=cleaned["answer"].replace("\r\n", "\n"),
            to=cleaned["to"] or Recipients.THIS,
            shown_at=shown_at if near else None,
        )
