from collections import defaultdict
from datetime import timedelta

from django.db import migrations

BATCH = 2000


def give_sittings(apps, schema_editor):
    """Every graded attempt was made at its quiz's own sitting, under the terms it shows.

    This can be stopped and begun again.
    """
    Attempt, Sitting = apps.get_model("quizzes", "Attempt"), apps.get_model("quizzes", "Sitting")
    own = {sitting.quiz_id: sitting for sitting in Sitting.objects.filter(given_in="")}
    rows = Attempt.objects.filter(mode="graded", sitting=None).order_by("pk")
    rows = rows.values_list("pk", "quiz", "started_at", "deadline", "extra_time")
    last = 0
    while batch := list(rows.filter(pk__gt=last)[:BATCH]):
        last = batch[-1][0]
        under = defaultdict(list)
        for pk, quiz, *times in batch:
            under[own[quiz], *_terms(own[quiz], *times)].append(pk)
        for (sitting, minutes, closes_at), pks in under.items():
            made = Attempt.objects.filter(pk__in=pks)
            made.update(sitting=sitting, minutes=minutes, closes_at=closes_at)


def _terms(sitting, started_at, deadline, extra_time):
    """Minutes and close that give the deadline again, whatever has become of the rules since."""
    if deadline is None:
        return None, None
    usual_end = deadline - extra_time
    minutes = (usual_end - started_at) // timedelta(minutes=1)
    closes_at = sitting.closes_at
    if usual_end == closes_at:
        minutes = max(minutes, sitting.minutes)
    elif closes_at and closes_at < usual_end:
        closes_at = None
    return max(0, minutes), closes_at


class Migration(migrations.Migration):
    # Batch by batch: however many attempts there are, none of them waits for all.
    atomic = False

    dependencies = [("quizzes", "0016_sittings")]

    operations = [migrations.RunPython(give_sittings, migrations.RunPython.noop)]
