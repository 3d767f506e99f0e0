import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """What items showed is kept once for all that showed the same; here is the room for it."""

    dependencies = [("quizzes", "0007_marks_are_kept")]

    operations = [
        migrations.CreateModel(
            name="Wording",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        editable=False,
                        primary_key=True,
                        serialize=False,
                        verbose_name="hash of the text",
                    ),
                ),
                ("data", models.JSONField(verbose_name="texts")),
            ],
            options={"verbose_name": "wording", "verbose_name_plural": "wordings"},
        ),
        migrations.AddField(
            model_name="item",
            name="order",
            field=models.TextField(
                blank=True,
                default="",
                help_text="The order in which the student saw the choices.",
                verbose_name="order",
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="item",
            name="wording",
            field=models.ForeignKey(
                null=True,
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="quizzes.wording",
            ),
        ),
        migrations.AlterField(
            model_name="item", name="shown", field=models.JSONField(null=True, verbose_name="shown")
        ),
    ]
