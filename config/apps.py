"""The admin's app config with our admin site; `migrate` also creates the cache's table."""

from typing import Any

from django.contrib.admin.apps import AdminConfig
from django.core.management import call_command
from django.db.models.signals import post_migrate


class Admin(AdminConfig):
    default_site = "config.admin_site.SoftmarkAdminSite"

    def ready(self) -> None:
        super().ready()
        post_migrate.connect(create_cache_table, sender=self)


def create_cache_table(using: str, **_: Any) -> None:
    """Create the cache's table, so that deployments need no second command."""
    call_command("createcachetable", database=using, verbosity=0)
