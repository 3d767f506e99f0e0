"""Where a second factor is needed, tokens that were made without one last 30 days at most."""

from datetime import timedelta

from django.conf import settings
from django.db import migrations
from django.utils import timezone

DAYS = 30


def end_older(apps, schema_editor):
    """Let tokens end in 30 days that would last longer; one statement, however many there are."""
    if settings.STAFF_MFA:
        end = timezone.now() + timedelta(days=DAYS)
        tokens = apps.get_model("api", "Token").objects.using(schema_editor.connection.alias)
        tokens.filter(expires_at__gt=end).update(expires_at=end)


class Migration(migrations.Migration):
    dependencies = [("api", "0001_initial")]

    operations = [migrations.RunPython(end_older, migrations.RunPython.noop)]
