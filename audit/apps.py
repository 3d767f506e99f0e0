"""App configuration of the audit log."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class AuditConfig(AppConfig):
    name = "audit"
    verbose_name = gettext_lazy("Activity log")

    def ready(self) -> None:
        from audit import personal
        from foundation import personal_data

        personal_data.register(personal.HOLDING)
