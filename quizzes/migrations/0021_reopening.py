from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("quizzes", "0020_reports")]

    operations = [
        migrations.AddField(
            model_name="attempt",
            name="kept_open_until",
            field=models.DateTimeField(
                blank=True,
                help_text="For this attempt only. Whatever the rules say, it does not end before this.",
                null=True,
                verbose_name="kept open until",
            ),
        ),
        migrations.AddField(
            model_name="attempt",
            name="reopened",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="How many times it was reopened after being handed in.",
                verbose_name="reopened",
            ),
        ),
        migrations.AlterField(
            model_name="submission",
            name="number",
            field=models.PositiveIntegerField(
                default=1,
                help_text="If an attempt is reopened, only the last submission counts.",
                verbose_name="number",
            ),
        ),
        migrations.RemoveConstraint(model_name="submission", name="submission_of_attempt"),
        migrations.AddConstraint(
            model_name="submission",
            constraint=models.UniqueConstraint(
                condition=models.Q(("item__isnull", True)),
                fields=("attempt", "number"),
                name="submission_of_attempt",
            ),
        ),
    ]
