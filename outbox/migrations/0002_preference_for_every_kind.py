from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("outbox", "0001_initial"),
    ]

    operations = [
        migrations.AlterField(
            model_name="preference",
            name="kind",
            field=models.CharField(blank=True, max_length=80),
        ),
    ]
