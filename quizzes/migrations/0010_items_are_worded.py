import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Apart from the rows: PostgreSQL changes no table that a transaction has just written to."""

    dependencies = [("quizzes", "0009_items_keep_their_wording")]

    operations = [
        migrations.RemoveField(model_name="item", name="shown"),
        migrations.AlterField(
            model_name="item",
            name="wording",
            field=models.ForeignKey(
                db_index=False,
                help_text="Its text, before the variant's words and numbers are added.",
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="quizzes.wording",
                verbose_name="wording",
            ),
        ),
    ]
