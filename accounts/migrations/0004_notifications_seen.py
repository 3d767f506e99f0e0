from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("accounts", "0003_people_folded"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="notifications_seen",
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
