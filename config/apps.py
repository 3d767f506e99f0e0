"""Django's admin as ours: the site to use, and the cache's table made by `migrate`."""

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
    """Spare everyone who deploys a second command that is easily forgotten."""
    call_command("createcachetable", database=using, verbosity=0)
