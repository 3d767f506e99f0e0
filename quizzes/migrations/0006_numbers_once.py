from django.db import migrations, models


class Migration(migrations.Migration):
    """Apart from the rows: PostgreSQL changes no table that a transaction has just written to."""

    dependencies = [("quizzes", "0005_own_numbers")]

    operations = [
        migrations.AddIndex(
            model_name="variant",
            index=models.Index(
                condition=models.Q(("for_exams", True), ("given_at", None)),
                fields=["kind"],
                name="variant_unused",
            ),
        ),
        migrations.AddIndex(
            model_name="variant", index=models.Index(fields=["fingerprint"], name="variant_numbers")
        ),
        migrations.AddConstraint(
            model_name="variant",
            constraint=models.UniqueConstraint(
                fields=("kind", "fingerprint"), name="variant_numbers_once"
            ),
        ),
    ]
