from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('lessons', '0005_sentences'),
    ]

    operations = [
        migrations.RenameField(
            model_name='lessonimage',
            old_name='kind',
            new_name='format',
        ),
        migrations.AlterField(
            model_name='lessonimage',
            name='format',
            field=models.CharField(choices=[('png', 'PNG'), ('jpeg', 'JPEG'), ('webp', 'WebP')], editable=False, max_length=4, verbose_name='format'),
        ),
    ]
