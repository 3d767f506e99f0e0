"""Give what was written before there was a history its first entry."""

from django.db import migrations

NOT_REMEMBERED = {"source_hash", "updated"}


def begin(apps, schema_editor):
    for name in ("Lesson", "Section", "Word"):
        history = apps.get_model("lessons", f"Historical{name}")
        kept = [
            field.attname
            for field in apps.get_model("lessons", name)._meta.concrete_fields
            if field.attname not in NOT_REMEMBERED
        ]
        for row in apps.get_model("lessons", name)._default_manager.all():
            lesson = row if name == "Lesson" else row.lesson
            values = {attname: getattr(row, attname) for attname in kept}
            history._default_manager.create(
                **values, history_date=lesson.updated, history_type="+"
            )


class Migration(migrations.Migration):
    dependencies = [("lessons", "0002_history_and_images")]

    operations = [migrations.RunPython(begin, migrations.RunPython.noop)]
