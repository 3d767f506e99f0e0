import django.db.models.deletion
from django.db import migrations, models

# What items say. Read once, whole: by no index is it found sooner.
_ASKED = """
    INSERT INTO quizzes_askedquestion (sitting_id, question_id)
    SELECT DISTINCT attempt.sitting_id, item.question_id
    FROM quizzes_item item JOIN quizzes_attempt attempt ON attempt.id = item.attempt_id
    WHERE item.question_id IS NOT NULL AND attempt.sitting_id IS NOT NULL
"""


class Migration(migrations.Migration):
    """The constraint comes last: whoever starts or saves waits for its index alone."""

    dependencies = [
        ('quizzes', '0023_dress_rehearsals'),
    ]

    operations = [
        migrations.CreateModel(
            name='AskedQuestion',
            fields=[
                ('pk', models.CompositePrimaryKey('sitting', 'question', blank=True, editable=False, primary_key=True, serialize=False)),
                ('question', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='quizzes.conceptquestion')),
                ('sitting', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='quizzes.sitting')),
            ],
            options={
                'verbose_name': 'question asked in a sitting',
                'verbose_name_plural': 'questions asked in sittings',
                'default_permissions': (),
            },
        ),
        migrations.RunSQL(_ASKED, migrations.RunSQL.noop),
        migrations.RemoveConstraint(
            model_name='attempt',
            name='attempt_one_open',
        ),
        migrations.AddConstraint(
            model_name='attempt',
            constraint=models.UniqueConstraint(condition=models.Q(('mode', 'graded'), ('state', 'open')), fields=('sitting', 'student'), name='attempt_one_open'),
        ),
    ]
