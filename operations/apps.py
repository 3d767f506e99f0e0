"""The operations app: it has no rows, only commands, a task and addresses for machines."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "operations"

    def ready(self):
        from operations.metrics import watch_databases

        watch_databases()
