import django.core.validators
from django.conf import settings
from django.db import migrations, models

RULES = (
    *("minutes", "attempts_allowed", "counts", "practice"),
    *("release", "opens_at", "closes_at", "released"),
)


def give_rules_back(apps, schema_editor):
    """The quiz's rules are again those of its own sitting."""
    Sitting = apps.get_model("quizzes", "Sitting")
    for sitting in Sitting.objects.filter(given_in="").select_related("quiz"):
        for name in RULES:
            setattr(sitting.quiz, name, getattr(sitting, name))
        sitting.quiz.save(update_fields=RULES)


class Migration(migrations.Migration):
    """Nothing asks the quiz for its rules any more. Numbers count within a sitting."""

    dependencies = [
        ("quizzes", "0017_attempts_have_sittings"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(migrations.RunPython.noop, give_rules_back),
        migrations.RemoveConstraint(
            model_name='attempt',
            name='attempt_one_open',
        ),
        migrations.RemoveConstraint(
            model_name='attempt',
            name='attempt_number_once',
        ),
        migrations.RemoveConstraint(
            model_name='attempt',
            name='attempt_graded_or_practice',
        ),
        migrations.RemoveConstraint(
            model_name='quiz',
            name='quiz_takes_time',
        ),
        migrations.AddConstraint(
            model_name='attempt',
            constraint=models.UniqueConstraint(condition=models.Q(('mode', 'graded'), ('state', 'open')), fields=('student', 'sitting'), name='attempt_one_open'),
        ),
        migrations.AddConstraint(
            model_name='attempt',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('deadline__isnull', True), ('mode', 'practice')), models.Q(('mode', 'graded'), ('quiz__isnull', False), ('sitting__isnull', False), ('skill', '')), _connector='OR'), name='attempt_graded_or_practice'),
        ),
        migrations.AddConstraint(
            model_name='attempt',
            constraint=models.UniqueConstraint(condition=models.Q(('mode', 'graded')), fields=('student', 'sitting', 'number'), name='attempt_number_once'),
        ),
        migrations.AddConstraint(
            model_name='attempt',
            constraint=models.UniqueConstraint(condition=models.Q(('mode', 'practice'), ('quiz__isnull', False)), fields=('student', 'quiz', 'number'), name='attempt_practice_number_once'),
        ),
        migrations.RemoveField(
            model_name='quiz',
            name='attempts_allowed',
        ),
        migrations.RemoveField(
            model_name='quiz',
            name='closes_at',
        ),
        migrations.RemoveField(
            model_name='quiz',
            name='counts',
        ),
        migrations.RemoveField(
            model_name='quiz',
            name='minutes',
        ),
        migrations.RemoveField(
            model_name='quiz',
            name='opens_at',
        ),
        migrations.RemoveField(
            model_name='quiz',
            name='practice',
        ),
        migrations.RemoveField(
            model_name='quiz',
            name='release',
        ),
        migrations.RemoveField(
            model_name='quiz',
            name='released',
        ),
    ]
