import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

RULES = (
    *("minutes", "attempts_allowed", "counts", "practice"),
    *("release", "opens_at", "closes_at", "released"),
)


def begin_own_sittings(apps, schema_editor):
    """Every quiz has a sitting of its own, with the rules that were the quiz's."""
    Quiz, Sitting = apps.get_model("quizzes", "Quiz"), apps.get_model("quizzes", "Sitting")
    Sitting.objects.bulk_create(
        Sitting(quiz=quiz, **{name: getattr(quiz, name) for name in RULES})
        for quiz in Quiz.objects.order_by("pk")
    )


class Migration(migrations.Migration):
    """The rows of sittings; attempts are given theirs in the next one."""

    dependencies = [
        ("quizzes", "0015_sheets"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Sitting',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('given_in', models.CharField(blank=True, help_text="The class it is assigned in. Empty for the quiz's own sitting, for independent learners.", max_length=120, verbose_name='assigned in')),
                ('open_to_all', models.BooleanField(default=True, help_text='Independent learners can take it.', verbose_name='open to everyone')),
                ('minutes', models.PositiveSmallIntegerField(default=23, validators=[django.core.validators.MinValueValidator(1)], verbose_name='minutes')),
                ('attempts_allowed', models.PositiveSmallIntegerField(blank=True, help_text='Leave empty for no limit.', null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='attempts allowed')),
                ('counts', models.CharField(choices=[('best', 'the best attempt'), ('last', 'the last attempt')], default='best', max_length=4, verbose_name='which attempt counts')),
                ('practice', models.BooleanField(default=True, help_text='No time limit. Each question is checked separately, and nothing counts.', verbose_name='may be practised')),
                ('release', models.CharField(choices=[('at_once', 'immediately'), ('after_close', 'after the quiz closes'), ('by_hand', 'when an instructor releases them')], default='at_once', max_length=12, verbose_name='marks and solutions are shown')),
                ('opens_at', models.DateTimeField(blank=True, help_text='Leave empty to open as soon as it is published.', null=True, verbose_name='opens at')),
                ('closes_at', models.DateTimeField(blank=True, help_text='Leave empty for no closing date.', null=True, verbose_name='closes at')),
                ('last_closes_at', models.DateTimeField(blank=True, editable=False, help_text='If some students may start after it has closed for the others.', null=True, verbose_name='closes for the last student at')),
                ('released', models.BooleanField(default=False, help_text='Only used if results are released by hand.', verbose_name='results released')),
            ],
            options={
                'verbose_name': 'sitting',
                'verbose_name_plural': 'sittings',
            },
        ),
        migrations.AddField(
            model_name='sitting',
            name='quiz',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sittings', to='quizzes.quiz', verbose_name='quiz'),
        ),
        migrations.AddConstraint(
            model_name='sitting',
            constraint=models.UniqueConstraint(condition=models.Q(('given_in', '')), fields=('quiz',), name='sitting_own_once'),
        ),
        migrations.AddConstraint(
            model_name='sitting',
            constraint=models.CheckConstraint(condition=models.Q(('given_in', ''), ('open_to_all', False), _connector='OR'), name='sitting_of_all_or_a_class'),
        ),
        migrations.AddConstraint(
            model_name='sitting',
            constraint=models.CheckConstraint(condition=models.Q(('minutes__gte', 1)), name='sitting_takes_time'),
        ),
        migrations.AddField(
            model_name='attempt',
            name='closes_at',
            field=models.DateTimeField(blank=True, help_text='When the attempt started.', null=True, verbose_name='closes at'),
        ),
        migrations.AddField(
            model_name='attempt',
            name='minutes',
            field=models.PositiveSmallIntegerField(blank=True, help_text='When the attempt started, without extra time. Empty means no time limit.', null=True, verbose_name='minutes'),
        ),
        migrations.AddField(
            model_name='attempt',
            name='sitting',
            field=models.ForeignKey(blank=True, help_text='Of a graded attempt. Practice has none.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='quizzes.sitting', verbose_name='sitting'),
        ),
        migrations.RunPython(begin_own_sittings, migrations.RunPython.noop),
    ]
