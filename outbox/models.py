"""Models: messages and preferences. Only services write them."""

from typing import Any

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from outbox.kinds import UnknownKind, get_kind


class Message(models.Model):
    """A message to one person, before and after it is sent."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        SENT = "sent", _("sent")
        FAILED = "failed", _("failed")
        OFF = "off", _("switched off")
        DROPPED = "dropped", _("dropped")

    kind = models.CharField(_("kind"), max_length=80)
    to = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", verbose_name=_("to")
    )
    payload = models.JSONField(_("content"), encoder=DjangoJSONEncoder, default=dict)
    key = models.CharField(
        _("key"),
        max_length=200,
        blank=True,
        help_text=_("A message with a key that’s already in use isn’t queued again."),
    )
    created = models.DateTimeField(_("queued"), default=timezone.now)
    due = models.DateTimeField(_("due"), default=timezone.now)
    state = models.CharField(_("state"), max_length=8, choices=State.choices, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(_("attempts"), default=0)
    claimed_by = models.CharField(max_length=32, blank=True)
    claimed_until = models.DateTimeField(
        _("on hold until"),
        null=True,
        blank=True,
        help_text=_(
            "Until then no worker picks it up: one is already sending it, or it will be retried"
            " later."
        ),
    )
    sent_at = models.DateTimeField(_("sent"), null=True, blank=True)
    address = models.CharField(_("sent to"), max_length=320, blank=True)
    subject = models.CharField(_("subject"), max_length=300, blank=True)
    text = models.TextField(_("text"), blank=True)
    trouble = models.TextField(_("error"), blank=True)

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        ordering = ["-created", "-pk"]
        constraints = [
            # A withdrawn message may be posted again.
            models.UniqueConstraint(
                fields=["key"], condition=~Q(key="") & ~Q(state="dropped"), name="message_once"
            )
        ]
        indexes = [
            models.Index(fields=["due", "id"], condition=Q(state="waiting"), name="message_due"),
            models.Index(fields=["to", "due"], condition=Q(state="waiting"), name="message_due_to"),
            models.Index(
                fields=["-created", "-id"], condition=Q(state="failed"), name="message_failed"
            ),
            models.Index(fields=["-created", "-id"], name="message_newest"),
        ]

    def __str__(self) -> str:
        return self.subject or self.kind_title

    @property
    def kind_title(self) -> str:
        """The title of its kind, or the kind's key if its app is no longer installed."""
        try:
            return str(get_kind(self.kind).title)
        except UnknownKind:
            return self.kind


class Preference(models.Model):
    """A person's choice for one kind of message: at once (also without a row), daily or never.

    Without a kind it is for every kind that has no choice of its own.
    """

    class How(models.TextChoices):
        AT_ONCE = "now", _("Straight away")
        DAILY = "daily", _("Once a day, in one email")
        OFF = "off", _("Never")

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=80, blank=True)
    how = models.CharField(max_length=8, choices=How.choices)

    class Meta:
        verbose_name = _("preference")
        verbose_name_plural = _("preferences")
        constraints = [models.UniqueConstraint(fields=["person", "kind"], name="preference_once")]

    def __str__(self) -> Any:
        return self.how
