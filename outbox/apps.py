"""App configuration of the outbox."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy


class OutboxConfig(AppConfig):
    name = "outbox"
    verbose_name = gettext_lazy("Outbox")

    def ready(self) -> None:
        from foundation import personal_data
        from outbox import kinds, letters, personal

        kinds.register_sender("letter", letters.LetterSender)
        kinds.register_sender("finished-letter", letters.FinishedLetterSender)
        personal_data.register(personal.HOLDING)
