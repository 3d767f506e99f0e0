import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Substr

from quizzes.problems import fingerprint_of
from quizzes.bulk import update_column


BATCH = 2000


def shorten(apps, schema_editor):
    """Half of a fingerprint tells numbers apart as well as the whole."""
    variants = apps.get_model("quizzes", "Variant").objects.filter(fingerprint__isnull=False)
    variants.update(fingerprint=Substr("fingerprint", 1, 32))


def tell_whole(apps, schema_editor):
    """The other half is in the numbers."""
    Variant = apps.get_model("quizzes", "Variant")
    rows = Variant.objects.filter(fingerprint__isnull=False).order_by("pk")
    last = 0
    while batch := list(rows.filter(pk__gt=last).only("givens")[:BATCH]):
        last = batch[-1].pk
        whole = ((variant.pk, fingerprint_of(variant.givens)) for variant in batch)
        update_column(Variant, "fingerprint", whole)


class Migration(migrations.Migration):
    """Of what is left, no index begins as another does."""

    dependencies = [
        ('quizzes', '0011_short_steps'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='variant',
            name='variant_drawn_once',
        ),
        migrations.RemoveConstraint(
            model_name='variant',
            name='variant_numbers_once',
        ),
        migrations.RemoveIndex(
            model_name='variant',
            name='variant_numbers',
        ),
        migrations.RemoveIndex(model_name="variant", name="variant_unused"),
        migrations.AddIndex(
            model_name="variant",
            index=models.Index(
                condition=models.Q(("for_exams", True), ("given_at", None)),
                fields=["kind", "id"],
                name="variant_unused",
            ),
        ),
        migrations.RemoveConstraint(model_name="answer", name="answer_once"),
        migrations.AlterField(
            model_name="answer",
            name="item",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="answers",
                to="quizzes.item",
                verbose_name="item",
            ),
        ),
        migrations.AddConstraint(
            model_name="answer",
            constraint=models.UniqueConstraint(fields=("item", "submission"), name="answer_once"),
        ),
        migrations.AlterField(
            model_name='attempt',
            name='student',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to=settings.AUTH_USER_MODEL, verbose_name='student'),
        ),
        migrations.AlterField(
            model_name='grade',
            name='answer',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='grades', to='quizzes.answer'),
        ),
        migrations.AlterField(
            model_name='item',
            name='attempt',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='items', to='quizzes.attempt', verbose_name='attempt'),
        ),
        migrations.AlterField(
            model_name='item',
            name='question',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='quizzes.conceptquestion', verbose_name='question'),
        ),
        migrations.AlterField(
            model_name='item',
            name='variant',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='quizzes.variant', verbose_name='variant'),
        ),
        migrations.AlterField(
            model_name='submission',
            name='item',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='submissions', to='quizzes.item', verbose_name='item'),
        ),
        migrations.RunPython(shorten, tell_whole),
        migrations.AlterField(
            model_name='variant',
            name='fingerprint',
            field=models.UUIDField(help_text='Of its numbers. Empty where an older row has the same: it is never given again.', null=True),
        ),
        migrations.AlterField(
            model_name='variant',
            name='kind',
            field=models.CharField(help_text='Family, version and options in one text.', max_length=200),
        ),
        migrations.AddIndex(
            model_name='item',
            index=models.Index(condition=models.Q(('variant__isnull', False)), fields=['variant'], name='item_of_variant'),
        ),
        migrations.AddIndex(
            model_name='item',
            index=models.Index(condition=models.Q(('question__isnull', False)), fields=['question'], name='item_of_question'),
        ),
        migrations.AddIndex(
            model_name='variant',
            index=models.Index(fields=['kind'], name='variant_of_kind'),
        ),
        migrations.AddConstraint(
            model_name='variant',
            constraint=models.UniqueConstraint(fields=('fingerprint', 'kind'), name='variant_numbers_once'),
        ),
    ]
