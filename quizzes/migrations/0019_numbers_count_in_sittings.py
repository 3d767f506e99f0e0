from django.db import migrations, models
from django.db.models import Count


def count_by_quiz(apps, schema_editor):
    """Attempts are again counted by student and quiz, at whichever sitting they were made."""
    Attempt = apps.get_model("quizzes", "Attempt")
    graded = Attempt.objects.filter(mode="graded")
    several = graded.values("student", "quiz").annotate(sittings=Count("sitting", distinct=True))
    for each in several.filter(sittings__gt=1):
        made = graded.filter(student=each["student"], quiz=each["quiz"])
        if made.filter(state="open").count() > 1:
            raise RuntimeError(
                f"Student {each['student']} is taking quiz {each['quiz']} at two sittings at once, "
                "which was impossible before. Wait until both attempts are over."
            )
        pks = list(made.order_by("started_at", "pk").values_list("pk", flat=True))
        # First out of one another's way.
        made.update(number=models.F("number") + 1_000_000)
        for number, pk in enumerate(pks, start=1):
            Attempt.objects.filter(pk=pk).update(number=number)


class Migration(migrations.Migration):
    """Nothing to do forwards. Backwards this must be done before the tables are changed."""

    dependencies = [("quizzes", "0018_rules_of_sittings")]

    operations = [migrations.RunPython(migrations.RunPython.noop, count_by_quiz)]
