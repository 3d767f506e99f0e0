import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("quizzes", "0026_freeze_pools"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="variant",
            name="struck_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When it was struck out: nobody is given it again.",
                null=True,
            ),
        ),
        migrations.CreateModel(
            name="StruckOut",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("reason", models.CharField(max_length=500, verbose_name="reason")),
                ("at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="at")),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="by",
                    ),
                ),
                (
                    "variant",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="struck_out",
                        to="quizzes.variant",
                        verbose_name="variant",
                    ),
                ),
            ],
            options={
                "verbose_name": "struck-out variant",
                "verbose_name_plural": "struck-out variants",
                "ordering": ["-pk"],
            },
        ),
        migrations.AlterField(
            model_name="attempt",
            name="mode",
            field=models.CharField(
                choices=[
                    ("graded", "graded"),
                    ("practice", "practice"),
                    ("preview", "preview"),
                ],
                default="graded",
                max_length=8,
                verbose_name="mode",
            ),
        ),
        migrations.AlterField(
            model_name="attempt",
            name="sitting",
            field=models.ForeignKey(
                blank=True,
                help_text="Only for graded attempts. Practice and previews have none.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="attempts",
                to="quizzes.sitting",
                verbose_name="sitting",
            ),
        ),
        migrations.RemoveConstraint(model_name="attempt", name="attempt_graded_or_practice"),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=Q(mode="practice", deadline__isnull=True)
                | Q(mode="graded", quiz__isnull=False, sitting__isnull=False, skill="")
                | Q(mode="preview", quiz__isnull=False, sitting__isnull=True, skill=""),
                name="attempt_graded_practice_or_preview",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.UniqueConstraint(
                condition=Q(state="open", mode="preview"),
                fields=("student", "quiz"),
                name="attempt_one_preview",
            ),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                condition=Q(mode="preview"), fields=["started_at"], name="attempt_previews"
            ),
        ),
    ]
