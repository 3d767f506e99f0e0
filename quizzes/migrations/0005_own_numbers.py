from django.db import migrations, models
from django.db.models import Max, Q

from quizzes.problems import is_kept_for_exams, fingerprint_of


def sort_out(apps, schema_editor):
    """Say of each variant what its numbers are, and whether they may still be given.

    Students shared variants, and practice showed what exams asked. What practice ever showed goes
    to practice, whichever half its numbers belong to; what an exam showed has been given. Of equal
    variants one keeps its fingerprint, and what any of them was used for; the others are never
    given again.
    """
    Variant = apps.get_model("quizzes", "Variant")
    Item = apps.get_model("quizzes", "Item")
    shown = Item.objects.filter(variant__isnull=False)
    practised = set(shown.filter(attempt__mode="practice").values_list("variant", flat=True))
    asked = dict(
        shown.filter(attempt__mode="graded")
        .values_list("variant")
        .annotate(Max("attempt__started_at"))
        .order_by()
    )
    first = {}
    for variant in Variant.objects.order_by("pk").iterator():
        fingerprint = fingerprint_of(variant.givens)
        kept = first.setdefault((variant.kind, fingerprint), variant)
        if kept is variant:
            variant.fingerprint = fingerprint
            variant.for_exams = is_kept_for_exams(variant.family, variant.options, fingerprint)
        if variant.pk in practised:
            kept.for_exams = False
        given = asked.get(variant.pk)
        if given and (kept.given_at is None or kept.given_at < given):
            kept.given_at = given
    Variant.objects.bulk_update(
        first.values(), ["fingerprint", "for_exams", "given_at"], batch_size=500
    )


class Migration(migrations.Migration):
    dependencies = [("quizzes", "0004_questions_begin_unpublished")]

    operations = [
        migrations.AddField(
            model_name="conceptquestion",
            name="reserved",
            field=models.BooleanField(
                default=False,
                help_text="It is never shown in practice.",
                verbose_name="reserved for exams",
            ),
        ),
        migrations.AddField(
            model_name="quiz",
            name="opens_at",
            field=models.DateTimeField(
                blank=True,
                help_text="Leave empty to open as soon as it is published.",
                null=True,
                verbose_name="opens at",
            ),
        ),
        migrations.AddField(
            model_name="variant",
            name="fingerprint",
            field=models.CharField(
                help_text="Of its numbers. Empty where an older row has the same: it is never given again.",
                max_length=64,
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="variant", name="for_exams", field=models.BooleanField(default=False)
        ),
        migrations.AddField(
            model_name="variant",
            name="given_at",
            field=models.DateTimeField(
                blank=True, help_text="When an exam last asked it. Empty: never.", null=True
            ),
        ),
        migrations.RunPython(sort_out, migrations.RunPython.noop),
    ]
