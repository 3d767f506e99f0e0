"""Models: events, which are only appended. The database refuses to change or delete them, too."""

from typing import Any, NoReturn

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from audit import verbs


class AppendOnly(TypeError):
    """Raised on changing or deleting events; record another event instead."""


class EventQuerySet(models.QuerySet["Event"]):
    def update(self, **_: Any) -> NoReturn:
        raise AppendOnly

    def bulk_update(self, *_: Any, **__: Any) -> NoReturn:
        raise AppendOnly

    def delete(self) -> NoReturn:
        raise AppendOnly


def _person(name: Any, help_text: Any) -> models.ForeignKey:
    # No constraint: an event must not change even when its person's row is deleted.
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.DO_NOTHING,
        null=True,
        db_constraint=False,
        db_index=False,  # Meta has one in the list's order
        related_name="+",
        verbose_name=name,
        help_text=help_text,
    )


class Event(models.Model):
    """One action. It refers to people by key alone, so that a name disappears with its person."""

    at = models.DateTimeField(_("when"), default=timezone.now)
    actor = _person(_("who"), _("Empty when the site did this itself."))
    verb = models.CharField(_("what"), max_length=80)
    person = _person(_("affected person"), _("The person this was done to."))
    target_type = models.CharField(_("type of object"), max_length=80, blank=True)
    target_id = models.CharField(_("object ID"), max_length=40, blank=True)
    target_words = models.CharField(_("object"), max_length=200, blank=True)
    scope = models.CharField(_("part of"), max_length=80, blank=True)
    before = models.JSONField(_("before"), encoder=DjangoJSONEncoder, default=dict, blank=True)
    after = models.JSONField(_("after"), encoder=DjangoJSONEncoder, default=dict, blank=True)
    reason = models.CharField(_("reason"), max_length=500, blank=True)

    objects = EventQuerySet.as_manager()

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        ordering = ["-at", "-pk"]
        # Every list is read from its newest event on, whatever it is filtered by.
        indexes = [
            models.Index(fields=["-at", "-id"], name="event_newest"),
            models.Index(fields=["scope", "-at", "-id"], name="event_of_scope"),
            models.Index(fields=["verb", "-at", "-id"], name="event_of_verb"),
            models.Index(fields=["actor", "-at", "-id"], name="event_of_actor"),
            models.Index(fields=["person", "-at", "-id"], name="event_of_person"),
            models.Index(fields=["target_type", "target_id", "-at", "-id"], name="event_of_target"),
        ]

    def __str__(self) -> str:
        return self.description

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnly
        super().save(*args, **kwargs | {"force_insert": True})

    def delete(self, *_: Any, **__: Any) -> NoReturn:
        raise AppendOnly

    @property
    def description(self) -> str:
        """The action in words."""
        named = {"target": self.target_words, "person": self.person_name}
        return verbs.describe(self.verb, self.before | self.after | named)

    @property
    def actor_name(self) -> str:
        return self._named("actor") if self.actor_id else gettext("The site")

    @property
    def person_name(self) -> str:
        return self._named("person") if self.person_id else ""

    def _named(self, field: str) -> str:
        """Return the person's current name."""
        try:
            person = getattr(self, field)
        except self._meta.get_field(field).related_model.DoesNotExist:
            person = None
        if person is None:  # select_related found no row
            number = getattr(self, f"{field}_id")
            return gettext("Deleted person %(number)s") % {"number": number}
        return str(person)
