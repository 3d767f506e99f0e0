"""Migrations convert nothing that grows, as a site is down while `migrate` runs."""

from django.apps import apps
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import RunPython, RunSQL

# Each app's newest migration from before this rule.
RULED_SINCE = {"audit": 2, "lessons": 6, "quizzes": 34}
# Newer ones that run code, and why each takes less than ten seconds for 20,000 attempts.
LIGHT = {
    ("api", "0002_older_tokens_end"): "one statement over tokens, of which there are few",
    ("lessons", "0007_shares"): "lessons, of which there are few",
    ("quizzes", "0036_shares"): "quizzes and questions, which grow with no attempt",
    ("accounts", "0003_people_folded"): "names of people; 20,000 take about three seconds",
    ("classes", "0005_people_folded"): "invitations alone, of which there are fewer than people",
}


def test_no_migration_converts_what_grows_with_attempts() -> None:
    loader = MigrationLoader(None, ignore_no_migrations=True)
    own = {app.label for app in apps.get_app_configs() if app.name == app.label}
    found = {
        (app, name)
        for (app, name), migration in loader.disk_migrations.items()
        if app in own and int(name[:4]) > RULED_SINCE.get(app, 0)
        for operation in migration.operations
        if isinstance(operation, RunPython | RunSQL)
    }
    assert found == LIGHT.keys()
