from django.db import migrations
from django.db.models import F

BATCH = 2000


def keep_the_last(apps, schema_editor):
    """An attempt was handed in once: the last time stays, and of one that is open again none does.

    What an open one was handed in with is its draft still.
    """
    using = schema_editor.connection.alias
    rows = {name: apps.get_model("quizzes", name) for name in ("Submission", "Answer", "Grade")}
    Submission = rows["Submission"]
    again = Submission.objects.filter(item=None, attempt__reopened__gt=0).order_by("pk")
    passed = again.exclude(number=F("attempt__reopened") + 1)
    while batch := list(passed.values_list("pk", flat=True)[:BATCH]):
        rows["Grade"].objects.filter(answer__submission__in=batch)._raw_delete(using)
        rows["Answer"].objects.filter(submission__in=batch)._raw_delete(using)
        Submission.objects.filter(pk__in=batch)._raw_delete(using)
    again.update(number=1)


class Migration(migrations.Migration):
    """Nothing to do forwards. Backwards this must be done before the tables are changed."""

    dependencies = [("quizzes", "0021_reopening")]

    operations = [migrations.RunPython(migrations.RunPython.noop, keep_the_last)]
