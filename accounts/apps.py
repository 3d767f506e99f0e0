"""App configuration of accounts."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = gettext_lazy("People")

    def ready(self):
        from accounts import security_log
        from accounts.roles import sync_instructors
        from accounts.services import LETTER
        from outbox import kinds

        security_log.connect_signals()
        kinds.register(
            kinds.Kind(
                key=LETTER,
                title=gettext_lazy("Your account"),
                may_be_switched_off=False,
                sender="finished-letter",
            )
        )
        post_migrate.connect(sync_instructors, sender=self)
