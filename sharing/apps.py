"""App configuration of sharing."""

from typing import Any

from django.apps import AppConfig
from django.contrib.auth import get_user_model
from django.db.models.signals import pre_save
from django.utils.translation import gettext_lazy

INSTRUCTOR_FIELDS = {"is_active", "is_staff"}


class SharingConfig(AppConfig):
    name = "sharing"
    verbose_name = gettext_lazy("Sharing")

    def ready(self) -> None:
        from audit import verbs
        from foundation import personal_data
        from outbox import kinds
        from sharing import personal, services

        verbs.register(services.SHARED, gettext_lazy("shared %(target)s"))
        verbs.register(services.STOPPED, gettext_lazy("stopped sharing %(target)s"))
        kinds.register(
            kinds.Kind(
                key=services.LETTER,
                title=gettext_lazy("Quizzes, lessons and questions without an owner"),
                template="sharing/letters/owner_left",
                may_be_switched_off=False,
            )
        )
        personal_data.register(personal.HOLDING)
        user_model = get_user_model()
        pre_save.connect(_before_saving, sender=user_model)


def _before_saving(instance: Any, *, update_fields: Any, raw: bool, **_: Any) -> None:
    """Tell administrators when a user stops being an instructor, wherever that is saved."""
    from sharing.services import notify_owner_left

    looked_at = update_fields is None or INSTRUCTOR_FIELDS & set(update_fields)
    if raw or not instance.pk or not looked_at or (instance.is_active and instance.is_staff):
        return
    before = type(instance)._default_manager.filter(pk=instance.pk)
    if before.filter(is_active=True, is_staff=True).exists():
        notify_owner_left(user=instance)
