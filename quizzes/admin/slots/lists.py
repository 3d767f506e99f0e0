"""Select options for families and topics, rendered once for all forms of a page."""

from collections.abc import Callable, Iterable
from typing import Any

from django.utils.functional import cached_property
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from unfold.widgets import UnfoldAdminSelectWidget

from quizzes import problems
from quizzes.authoring.presenters.slots import format_topic, written_title
from quizzes.authoring.queries import readable_questions
from quizzes.authoring.services import publishing
from quizzes.items.queries import topics_by_lesson
from quizzes.models import Quiz, Slot
from quizzes.written.queries import is_written, may_read, readable_problems

MAX_SIZE_LENGTH = 20


class ListedSelect(UnfoldAdminSelectWidget):
    """A select whose many options are rendered once, for all forms.

    A chosen value stays, though it may be missing among them.
    """

    template_name = "quizzes/admin/listed_select.html"
    options: Callable[[], SafeString]

    def get_context(self, name, value, attrs):
        value = "" if value is None else str(value)
        mark = format_html('value="{}"', value)
        listed = self.options()
        if mark in listed:
            listed = mark_safe(listed.replace(mark, f"{mark} selected", 1))
        else:
            listed = format_html("{}{}", listed, _missing(value))
        return super().get_context(name, value, attrs) | {"listed": listed}


def _missing(value):
    return format_html(
        '<option value="{}" selected>{}</option>',
        value,
        _("%(value)s (missing)") % {"value": truncate(value)},
    )


def truncate(text):
    return text if len(text) <= MAX_SIZE_LENGTH else f"{text[:MAX_SIZE_LENGTH]}…"


def _options(pairs):
    return format_html_join("", '<option value="{}">{}</option>', pairs)


class SlotChoices:
    """The families and topics that slots can ask for, read once for all of their forms."""

    def __init__(self, quiz: Quiz, user: Any, stored: Iterable[Slot]) -> None:
        self.quiz, self.user, self.stored = quiz, user, stored
        self._readable: dict[str, bool] = {}

    @cached_property
    def written(self):
        """The problems in rows that the author may ask, by key: their newest versions."""
        return readable_problems(self.user)

    def may_read(self, key: str) -> bool:
        """Return whether the author may look at a family, in versions withdrawn since too."""
        if key not in self._readable:
            self._readable[key] = key in self.written or may_read(self.user, key)
        return self._readable[key]

    def may_ask(self, key: str) -> bool:
        """Return whether a new slot may ask a family."""
        return key in self.written if is_written(key) else problems.is_family(key)

    @cached_property
    def _by_lesson(self):
        return topics_by_lesson()

    @cached_property
    def topics(self):
        """The titles of topics by key."""
        return {key: title for topics in self._by_lesson.values() for key, title in topics}

    @cached_property
    def fit(self):
        return publishing.count_fit_questions(readable_questions(self.quiz))

    @cached_property
    def listed_families(self):
        shipped = [("", _("— no family —")), *problems.family_choices()]
        listed = _options(shipped)
        written = {key: written_title(row) for key, row in self.written.items()}
        # What a slot asks is listed even if nobody can choose it anew.
        for slot in filter(lambda slot: slot.family_version, self.stored):
            title = problems.family_title(slot.family, slot.family_version)
            written.setdefault(slot.family, f"{title} ({slot.family})")
        if not written:
            return listed
        group = format_html(
            '<optgroup label="{}">{}</optgroup>',
            _("Problems by instructors"),
            _options(written.items()),
        )
        return mark_safe(f"{listed}{group}")

    @cached_property
    def listed_topics(self):
        groups = [
            format_html(
                '<optgroup label="{}">{}</optgroup>',
                lesson or _("no lesson"),
                _options((key, self._topic_label(key, title)) for key, title in topics),
            )
            for lesson, topics in self._by_lesson.items()
        ]
        return mark_safe("".join((_options([("", _("— no topic —"))]), *groups)))

    def _topic_label(self, key, title):
        return format_topic(title, *self.fit.get(key, (0, 0)))
