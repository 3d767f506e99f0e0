from django.db import migrations


def freeze_pools(apps, schema_editor):
    """Published quizzes go on asking what they ask today."""
    Slot = apps.get_model("quizzes", "Slot")
    ConceptQuestion = apps.get_model("quizzes", "ConceptQuestion")
    PooledQuestion = apps.get_model("quizzes", "PooledQuestion")
    keys = {}
    for topic, key in ConceptQuestion.objects.filter(published=True).values_list("topic", "key"):
        keys.setdefault(topic, []).append(key)
    asking = Slot.objects.filter(quiz__published=True).exclude(topic="").order_by("quiz", "topic")
    PooledQuestion.objects.bulk_create(
        (
            PooledQuestion(quiz_id=quiz, topic=topic, key=key)
            for quiz, topic in asking.values_list("quiz", "topic").distinct()
            for key in keys.get(topic, [])
        ),
        batch_size=500,
    )


def leave_one_version(apps, schema_editor):
    """Earlier versions become questions of their own that nobody is asked; slots that were retired
    are deleted, as they used to be.
    """
    ConceptQuestion = apps.get_model("quizzes", "ConceptQuestion")
    for question in ConceptQuestion.objects.exclude(replaced_at=None):
        question.key = f"{question.key[:68]}-v{question.version}"
        question.published = False
        question.save()
    retired = "SELECT id FROM quizzes_slot WHERE retired_at IS NOT NULL"
    schema_editor.execute(f"UPDATE quizzes_item SET slot_id = NULL WHERE slot_id IN ({retired})")
    schema_editor.execute("DELETE FROM quizzes_slot WHERE retired_at IS NOT NULL")


class Migration(migrations.Migration):
    dependencies = [("quizzes", "0025_versions")]

    operations = [migrations.RunPython(freeze_pools, leave_one_version)]
