from django.db import migrations, transaction
from django.db.models import JSONField

import quizzes.models.steps
from quizzes.models.steps import packed_step, step_of

# So many rows are held in memory, and written in one transaction.
BATCH = 2000


def pack(apps, schema_editor):
    """Leave out the names of the parts; rows that are packed stay. This can be begun again."""
    _rewrite(apps, schema_editor, packed_step)


def unpack(apps, schema_editor):
    """Write out the names again."""
    _rewrite(apps, schema_editor, step_of)


def _rewrite(apps, schema_editor, change):
    Grade = apps.get_model("quizzes", "Grade")
    connection, steps = schema_editor.connection, JSONField()
    table = connection.ops.quote_name(Grade._meta.db_table)
    last = 0
    rows = Grade.objects.order_by("pk").values_list("pk", "steps")
    while batch := list(rows.filter(pk__gt=last)[:BATCH]):
        last = batch[-1][0]
        rewritten = [(pk, was, list(map(change, was))) for pk, was in batch]
        with transaction.atomic(connection.alias), connection.cursor() as cursor:
            cursor.executemany(
                f"UPDATE {table} SET steps = %s WHERE id = %s",
                [
                    (steps.get_db_prep_save(now, connection), pk)
                    for pk, was, now in rewritten
                    if now != was
                ],
            )


class Migration(migrations.Migration):
    # Batch by batch: however many grades there are, none of them waits for all.
    atomic = False

    dependencies = [("quizzes", "0010_items_are_worded")]

    operations = [
        migrations.RunPython(pack, unpack),
        migrations.AlterField(
            model_name="grade",
            name="steps",
            field=quizzes.models.steps.StepsField(
                help_text="Verdict, mistake, cells and exact points of each step."
            ),
        ),
    ]
