import django.db.models.deletion
import django.utils.timezone
import quizzes.models.steps
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("quizzes", "0028_previews_are_deleted"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="RulingLine",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("points", models.FloatField()),
                ("out_of", models.FloatField()),
                ("verdict", models.CharField(max_length=8)),
                ("mistake", models.CharField(blank=True, max_length=60)),
                ("steps", quizzes.models.steps.StepsField()),
                ("core_version", models.CharField(max_length=20)),
                ("score", models.FloatField()),
                ("score_out_of", models.FloatField()),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("higher", "higher"),
                            ("lower", "lower"),
                            ("changed", "otherwise"),
                            ("kept", "kept: the new mark would be lower"),
                            ("hand", "kept: adjusted manually"),
                            ("stale", "skipped: changed in the meantime"),
                        ],
                        max_length=7,
                    ),
                ),
                (
                    "passing",
                    models.SmallIntegerField(
                        default=0,
                        help_text="1: its attempt is passed by the ruling; -1: it is no longer.",
                    ),
                ),
                ("applied", models.BooleanField(default=False)),
            ],
            options={
                "verbose_name": "line of a ruling",
                "verbose_name_plural": "lines of rulings",
                "default_permissions": (),
            },
        ),
        migrations.CreateModel(
            name="Ruling",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("regrade", "mark again"),
                            ("key", "correct the key"),
                            ("void", "void the question"),
                            ("points", "change the points"),
                            ("tolerance", "change the tolerance"),
                            ("adjust", "adjust manually"),
                            ("undo", "undo a ruling"),
                        ],
                        max_length=9,
                        verbose_name="kind",
                    ),
                ),
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("all", "every question"),
                            ("slot", "one slot of the quiz"),
                            ("family", "one family of problems"),
                            ("question", "one concept question"),
                            ("variant", "the same numbers"),
                            ("item", "one question of one attempt"),
                        ],
                        default="all",
                        max_length=8,
                        verbose_name="scope",
                    ),
                ),
                ("family", models.CharField(blank=True, max_length=60, verbose_name="family")),
                ("values", models.JSONField(blank=True, default=dict, verbose_name="values")),
                (
                    "never_lower",
                    models.BooleanField(
                        default=True,
                        help_text="Nobody's mark goes down.",
                        verbose_name="never lower",
                    ),
                ),
                (
                    "over_hand",
                    models.BooleanField(
                        default=False,
                        help_text="Otherwise they stay as they are.",
                        verbose_name="include manual adjustments",
                    ),
                ),
                (
                    "tells",
                    models.BooleanField(
                        default=False,
                        help_text="Sent to students whose marks change.",
                        verbose_name="tell by email",
                    ),
                ),
                ("reason", models.TextField(max_length=1000, verbose_name="reason")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "dry run"),
                            ("waiting", "being applied"),
                            ("applied", "applied"),
                            ("undone", "undone"),
                        ],
                        default="draft",
                        max_length=8,
                        verbose_name="state",
                    ),
                ),
                (
                    "made_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="made"),
                ),
                (
                    "accepted_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="accepted"),
                ),
                ("applied_at", models.DateTimeField(blank=True, null=True, verbose_name="applied")),
                (
                    "seen",
                    models.JSONField(
                        default=dict,
                        help_text="By which it is told whether marks have changed since the dry run.",
                    ),
                ),
                ("summary", models.JSONField(default=dict, help_text="How many change, and how.")),
                ("lines_to_do", models.PositiveIntegerField(default=0)),
                ("lines_done", models.PositiveIntegerField(default=0)),
                ("event_scope", models.CharField(blank=True, max_length=60)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="by",
                    ),
                ),
                (
                    "item",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="quizzes.item",
                        verbose_name="item",
                    ),
                ),
                (
                    "question",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="quizzes.conceptquestion",
                        verbose_name="question",
                    ),
                ),
                (
                    "quiz",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rulings",
                        to="quizzes.quiz",
                        verbose_name="quiz",
                    ),
                ),
                (
                    "sitting",
                    models.ForeignKey(
                        blank=True,
                        help_text="Leave empty for all sittings of the quiz.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rulings",
                        to="quizzes.sitting",
                        verbose_name="sitting",
                    ),
                ),
                (
                    "slot",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="quizzes.slot",
                        verbose_name="slot",
                    ),
                ),
                (
                    "undoes",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="undone_by",
                        to="quizzes.ruling",
                        verbose_name="undoes",
                    ),
                ),
                (
                    "variant",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="quizzes.variant",
                        verbose_name="variant",
                    ),
                ),
            ],
            options={
                "verbose_name": "ruling",
                "verbose_name_plural": "rulings",
                "ordering": ["-pk"],
                "default_permissions": ("add", "view"),
            },
        ),
        migrations.AddField(
            model_name="grade",
            name="ruling",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                help_text="By which it was appended. Empty: by marking.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="grades",
                to="quizzes.ruling",
            ),
        ),
        migrations.AddConstraint(
            model_name="grade",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ruling__isnull", False)),
                fields=("answer", "ruling"),
                name="grade_of_ruling_once",
            ),
        ),
        migrations.AddField(
            model_name="rulingline",
            name="answer",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="ruling_lines",
                to="quizzes.answer",
            ),
        ),
        migrations.AddField(
            model_name="rulingline",
            name="attempt",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="quizzes.attempt",
            ),
        ),
        migrations.AddField(
            model_name="rulingline",
            name="grade_before",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="quizzes.grade",
            ),
        ),
        migrations.AddField(
            model_name="rulingline",
            name="ruling",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="lines",
                to="quizzes.ruling",
            ),
        ),
        migrations.AddIndex(
            model_name="ruling",
            index=models.Index(fields=["quiz", "state"], name="ruling_of_quiz"),
        ),
        migrations.AddConstraint(
            model_name="ruling",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    models.Q(("state", "draft"), _negated=True), ("undoes__isnull", False)
                ),
                fields=("undoes",),
                name="ruling_undone_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="ruling",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state", "waiting")),
                fields=("quiz",),
                name="ruling_one_at_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="ruling",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kind", "undo"), ("undoes__isnull", False)),
                    models.Q(models.Q(("kind", "undo"), _negated=True), ("undoes__isnull", True)),
                    _connector="OR",
                ),
                name="ruling_undo_of_one",
            ),
        ),
        migrations.AddIndex(
            model_name="rulingline",
            index=models.Index(
                condition=models.Q(
                    ("applied", False), ("outcome__in", ["higher", "lower", "changed"])
                ),
                fields=["ruling", "attempt"],
                name="ruling_line_to_do",
            ),
        ),
        migrations.AddConstraint(
            model_name="rulingline",
            constraint=models.UniqueConstraint(
                fields=("ruling", "answer"), name="ruling_answer_once"
            ),
        ),
    ]
