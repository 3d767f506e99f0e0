"""The operations app: commands, tasks and endpoints for machines, without models."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "operations"

    def ready(self):
        from operations.metrics import watch_databases

        watch_databases()
