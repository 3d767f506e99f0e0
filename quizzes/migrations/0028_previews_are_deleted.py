from django.db import migrations

BATCH = 2000


def delete_previews(apps, schema_editor):
    """Backwards there is no room for them, and nothing of them counts."""
    using = schema_editor.connection.alias
    previews = apps.get_model("quizzes", "Attempt").objects.filter(mode="preview").order_by("pk")
    belonging = [  # whatever refers to others first
        ("Grade", "answer__item__attempt__in"),
        ("Answer", "item__attempt__in"),
        ("Submission", "attempt__in"),
        ("Item", "attempt__in"),
        ("Attempt", "pk__in"),
    ]
    while batch := list(previews.values_list("pk", flat=True)[:BATCH]):
        for name, attempt in belonging:
            rows = apps.get_model("quizzes", name).objects
            found = list(rows.filter(**{attempt: batch}).values_list("pk", flat=True))
            for first in range(0, len(found), BATCH):
                rows.filter(pk__in=found[first : first + BATCH])._raw_delete(using)


class Migration(migrations.Migration):
    """Nothing to do forwards. Backwards this must be done before the tables are changed."""

    dependencies = [("quizzes", "0027_struck_out_and_previews")]

    operations = [migrations.RunPython(migrations.RunPython.noop, delete_previews)]
