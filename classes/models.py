"""Models: courses, members, assignments and overrides. Only services write them."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from classes import codes
from classes.limits import (
    MAX_EXTRA_MINUTES,
    MAX_LABEL_LENGTH,
    MAX_NAME_LENGTH,
    MAX_NOTE_LENGTH,
    MAX_REASON_LENGTH,
    MAX_SECTION_LENGTH,
)
from foundation.folded_names import Named, NamedQuerySet
from foundation.time_zones import validate_zone

# The dates of an assignment, in order.
DATE_FIELDS = ("opens_at", "due_at", "closes_at")


class Course(models.Model):
    """A class in one term."""

    title = models.CharField(_("title"), max_length=120)
    time_zone = models.CharField(_("time zone"), max_length=64, validators=[validate_zone])
    first_day = models.DateField(_("first day of term"), null=True, blank=True)
    code = models.CharField(
        _("joining code"),
        max_length=codes.LENGTH,
        unique=True,
        default=codes.draw,
        validators=[RegexValidator(f"^[{codes.ALPHABET}]+$")],
    )
    code_open = models.BooleanField(_("can be joined with the code"), default=True)
    archived = models.BooleanField(_("archived"), default=False)
    copied_from = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="copies"
    )
    created_at = models.DateTimeField(_("created"), default=timezone.now)

    class Meta:
        verbose_name = _("class")
        verbose_name_plural = _("classes")
        ordering = ["title", "pk"]

    def __str__(self):
        return self.title

    def get_absolute_url(self):
        return reverse("classes:assignments", args=[self.pk])

    @property
    def scope(self):
        """The scope of the class's events in the audit log."""
        return f"course:{self.pk}"

    @property
    def formatted_code(self):
        return codes.format_code(self.code)


class Label(models.Model):
    """A short text attached to members of one class, for example "extra time"."""

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="labels")
    text = models.CharField(_("label"), max_length=MAX_LABEL_LENGTH)

    class Meta:
        verbose_name = _("label")
        verbose_name_plural = _("labels")
        ordering = ["text"]
        constraints = [
            models.UniqueConstraint("course", Lower("text"), name="label_once_in_a_class")
        ]

    def __str__(self):
        return self.text


class Membership(Named):
    """A person's membership in a class, by account or, without one, by email address."""

    class Role(models.TextChoices):
        INSTRUCTOR = "instructor", _("Instructor")
        ASSISTANT = "assistant", _("Assistant")
        OBSERVER = "observer", _("Observer")
        STUDENT = "student", _("Student")

    class State(models.TextChoices):
        ACTIVE = "active", _("in the class")
        INVITED = "invited", _("invited")
        LEFT = "left", _("left")
        REMOVED = "removed", _("removed")

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="memberships",
    )
    email = models.EmailField(
        _("invited address"),
        blank=True,
        help_text=_("In lower case. Empty once there’s an account."),
    )
    name = models.CharField(
        _("name on the roster"),
        max_length=MAX_NAME_LENGTH,
        blank=True,
        help_text=_("Shown until there’s an account."),
    )
    role = models.CharField(_("role"), max_length=10, choices=Role, default=Role.STUDENT)
    section = models.CharField(
        _("section"),
        max_length=MAX_SECTION_LENGTH,
        blank=True,
        help_text=_("An assistant with a section sees only the people in this section."),
    )
    labels = models.ManyToManyField(Label, blank=True, related_name="memberships")
    state = models.CharField(_("state"), max_length=7, choices=State, default=State.ACTIVE)
    joined_at = models.DateTimeField(_("joined"), default=timezone.now)
    written_at = models.DateTimeField(
        _("emailed"),
        null=True,
        blank=True,
        help_text=_("When we emailed the invitation. Nobody gets a second one."),
    )
    platform = models.JSONField(
        null=True,
        blank=True,
        help_text="What a list from Canvas calls the person: its columns by name.",
    )

    objects = NamedQuerySet.as_manager()

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        constraints = [
            models.UniqueConstraint(fields=["course", "user"], name="member_once"),
            models.UniqueConstraint(
                fields=["course", "email"], condition=~Q(email=""), name="invited_once"
            ),
            models.CheckConstraint(
                condition=Q(user=None, state__in=["invited", "removed"]) & ~Q(email="")
                | Q(user__isnull=False, email="") & ~Q(state="invited"),
                name="member_by_account_or_by_address",
            ),
            models.CheckConstraint(condition=Q(email=Lower("email")), name="invited_in_lower_case"),
        ]
        indexes = [
            models.Index(fields=["course", "role", "state"], name="members_by_role"),
            models.Index(fields=["course", "section"], name="members_by_section"),
            models.Index(fields=["email"], condition=~Q(email=""), name="invited_address"),
        ]

    def __str__(self):
        # Names nobody: events keep this text for good.
        return gettext("member %(number)s") % {"number": self.pk}

    @property
    def sees_all(self) -> bool:
        """Whether a member of staff sees the whole class: a section limits only assistants."""
        return self.role != self.Role.ASSISTANT or not self.section

    @property
    def is_active(self):
        return self.state == self.State.ACTIVE

    @property
    def display_name(self):
        """The member's name, or their address if there is none."""
        return str(self.user) if self.user_id else self.name or self.email

    @property
    def address(self):
        return self.user.email if self.user_id else self.email


class MemberNote(models.Model):
    """A note by staff of a class about a member, who never sees it."""

    member = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="notes")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.CharField(_("note"), max_length=MAX_NOTE_LENGTH)
    written_at = models.DateTimeField(_("written"), default=timezone.now)

    class Meta:
        verbose_name = _("note")
        verbose_name_plural = _("notes")
        ordering = ["-written_at", "-pk"]

    def __str__(self):
        return gettext("note %(number)s") % {"number": self.pk}


class Assignment(models.Model):
    """A quiz assigned to a class, with a sitting of its own, which has its rules."""

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="assignments")
    sitting = models.OneToOneField(
        "quizzes.Sitting", on_delete=models.PROTECT, related_name="assignment"
    )
    due_at = models.DateTimeField(
        _("due"),
        null=True,
        blank=True,
        help_text=_("Work submitted after this, until the quiz closes, is shown as late."),
    )
    dates_copied = models.BooleanField(
        default=False,
        help_text="Its dates were moved from another term, and nobody has looked at them since.",
    )
    version = models.PositiveIntegerField(
        default=1, help_text="Of it and its sitting's rules: raised by each change."
    )
    changed_at = models.DateTimeField(
        default=timezone.now, help_text="When what applies to somebody here last changed."
    )
    tell_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When it is to be looked at next: who is to be told of it? Empty: never.",
    )

    class Meta:
        verbose_name = _("assignment")
        verbose_name_plural = _("assignments")
        indexes = [
            models.Index(
                fields=["tell_at", "id"],
                condition=Q(tell_at__isnull=False),
                name="assignment_to_tell",
            )
        ]

    def __str__(self):
        return self.sitting.quiz.title

    def get_absolute_url(self):
        return reverse("classes:assignment", args=[self.course_id, self.pk])

    @property
    def dates(self):
        """The dates for everybody by name, in order."""
        return {
            "opens_at": self.sitting.opens_at,
            "due_at": self.due_at,
            "closes_at": self.sitting.closes_at,
        }


class Override(models.Model):
    """Other settings for a member, or for everybody with a label; empty fields change nothing.

    It covers one assignment or the whole class; only one for an assignment can have dates.
    """

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="overrides")
    assignment = models.ForeignKey(
        Assignment, on_delete=models.CASCADE, null=True, blank=True, related_name="overrides"
    )
    member = models.ForeignKey(
        Membership, on_delete=models.CASCADE, null=True, blank=True, related_name="overrides"
    )
    label = models.ForeignKey(
        Label, on_delete=models.CASCADE, null=True, blank=True, related_name="overrides"
    )
    opens_at = models.DateTimeField(_("opens"), null=True, blank=True)
    due_at = models.DateTimeField(_("due"), null=True, blank=True)
    closes_at = models.DateTimeField(_("closes"), null=True, blank=True)
    factor = models.DecimalField(
        _("time factor"),
        max_digits=3,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(5)],
        help_text=_("For example, 1.5 gives 50% more time."),
    )
    more_minutes = models.PositiveSmallIntegerField(
        _("extra minutes"),
        null=True,
        blank=True,
        validators=[MaxValueValidator(MAX_EXTRA_MINUTES)],
        help_text=_("Added after the factor."),
    )
    untimed = models.BooleanField(_("no time limit"), default=False)
    attempts_allowed = models.PositiveSmallIntegerField(
        _("attempts"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    reason = models.CharField(_("reason"), max_length=MAX_REASON_LENGTH, blank=True)
    version = models.PositiveIntegerField(default=1, help_text="Raised by each change.")

    class Meta:
        verbose_name = _("exception")
        verbose_name_plural = _("exceptions")
        constraints = [
            models.CheckConstraint(
                condition=Q(member=None, label__isnull=False) | Q(member__isnull=False, label=None),
                name="override_of_a_member_or_a_label",
            ),
            models.CheckConstraint(
                condition=Q(assignment__isnull=False)
                | Q(opens_at=None, due_at=None, closes_at=None),
                name="override_of_a_course_has_no_dates",
            ),
            models.CheckConstraint(
                condition=Q(factor=None) | Q(factor__gte=1), name="override_gives_more_time"
            ),
            models.CheckConstraint(
                condition=Q(untimed=False) | Q(factor=None, more_minutes=None),
                name="override_untimed_or_more_time",
            ),
            models.UniqueConstraint(
                fields=["assignment", "member"], name="override_of_member_once"
            ),
            models.UniqueConstraint(fields=["assignment", "label"], name="override_of_label_once"),
            models.UniqueConstraint(
                fields=["member"],
                condition=Q(assignment=None),
                name="course_override_of_member_once",
            ),
            models.UniqueConstraint(
                fields=["label"], condition=Q(assignment=None), name="course_override_of_label_once"
            ),
        ]

    def __str__(self):
        # Names nobody: events keep this text for good.
        return gettext("exception %(number)s") % {"number": self.pk}

    @property
    def whom(self):
        """The text of the label, or the name of the member, that it is for."""
        return self.label.text if self.label else self.member.display_name

    @property
    def dates(self):
        """The dates it sets, by the same names as an assignment's."""
        return {name: getattr(self, name) for name in DATE_FIELDS}


class RosterImport(models.Model):
    """Lines of a file or of pasted text, between preview and confirmation."""

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="imports")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="roster_imports"
    )
    source = models.CharField(max_length=120, help_text="The file's name; empty: pasted.")
    lines = models.JSONField()
    role = models.CharField(max_length=10, choices=Membership.Role)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            # A new list replaces an unconfirmed one.
            models.UniqueConstraint(fields=["course", "by"], name="one_import_at_a_time")
        ]

    def __str__(self):
        return self.source or gettext("pasted text")


class Calendar(models.Model):
    """The secret address of a user's calendar file."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="calendar"
    )
    token = models.CharField(
        max_length=64, unique=True, help_text="A hash of what stands in the address."
    )
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = _("calendar")
        verbose_name_plural = _("calendars")

    def __str__(self):
        return gettext("calendar %(number)s") % {"number": self.pk}
