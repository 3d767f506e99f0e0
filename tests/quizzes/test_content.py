"""The content that ships loads, loading again changes nothing, and edits are kept."""

from io import StringIO

import pytest
import yaml
from django.conf import settings
from django.core.management import CommandError, call_command

from lessons.models import Lesson
from quizzes import problems
from quizzes.models import ConceptQuestion, Quiz
from quizzes.services.authoring import why_not_ask, why_not_publish

pytestmark = pytest.mark.django_db


def load(*arguments):
    told = StringIO()
    call_command("load_content", *arguments, stdout=told)
    return told.getvalue()


def test_what_ships_loads_and_is_published():
    load()
    assert Lesson.objects.filter(published=True).exists()
    assert Quiz.objects.filter(published=True).exists()
    for quiz in Quiz.objects.all():
        assert why_not_publish(quiz) == []
    for question in ConceptQuestion.objects.all():
        assert why_not_ask(question.choices.all()) == []
        assert question.section is not None, question.key


def test_every_quiz_that_ships_fits_its_time():
    load()
    for quiz in Quiz.objects.all():
        numeric = [slot for slot in quiz.slots.all() if slot.family]
        costs = [problems.cost_of(slot.family, slot.options) for slot in numeric]
        assert len(numeric) >= 10
        assert sum(cost.cells for cost in costs) <= 60
        concepts_at_a_minute_each = quiz.slots.count() - len(numeric)
        assert sum(cost.minutes for cost in costs) + concepts_at_a_minute_each <= quiz.minutes + 1


def test_loading_again_changes_nothing():
    load()
    told = load()
    assert "created" not in told
    assert "updated" not in told


def test_an_edit_is_kept_unless_it_is_to_be_overwritten():
    load()
    Quiz.objects.update(title="Edited")
    ConceptQuestion.objects.filter(key="mask-why").update(prompt="Edited?")
    told = load()
    assert told.count("edited since it was loaded") == 2
    assert Quiz.objects.get().title == "Edited"
    assert ConceptQuestion.objects.get(key="mask-why").prompt == "Edited?"
    load("--overwrite")
    assert Quiz.objects.get().title != "Edited"
    assert ConceptQuestion.objects.get(key="mask-why").prompt != "Edited?"


@pytest.fixture
def folder(tmp_path):
    """A copy of the shipped content to spoil."""
    for name in ("lessons", "questions", "quizzes"):
        (tmp_path / name).mkdir()
        for path in (settings.BASE_DIR / "content" / name).iterdir():
            (tmp_path / name / path.name).write_text(path.read_text())
    return tmp_path


def spoil(folder, name, change):
    path = next((folder / name).glob("*.yaml"))
    data = yaml.safe_load(path.read_text())
    change(data)
    path.write_text(yaml.safe_dump(data))
    return path.name


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("quizzes", lambda quiz: quiz["slots"].pop(), "exactly 15 slots"),
        ("quizzes", lambda quiz: quiz["slots"][1].update(family="attend"), "no family 'attend'"),
        ("quizzes", lambda quiz: quiz["slots"][1].update(options={"rows": 2}), "no option rows"),
        ("quizzes", lambda quiz: quiz.update(lesson="nowhere"), "no lesson 'nowhere'"),
        ("quizzes", lambda quiz: quiz.pop("slots"), "slots is missing"),
        ("questions", lambda file: file["questions"][0]["choices"].pop(), "at least 4 choices"),
        ("questions", lambda file: file["questions"][0].update(prompt="$\\frac{1$"), "line 1"),
        ("questions", lambda file: file["questions"][0].update(section="x"), "no section 'x'"),
        ("questions", lambda file: file["questions"][0].pop("topic"), "topic is missing"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_name(folder, name, change, told):
    path = spoil(folder, name, change)
    with pytest.raises(CommandError, match=told) as refused:
        load(str(folder))
    assert path.lower() in str(refused.value).lower()


def test_a_file_that_is_not_yaml_is_told_with_its_line(folder):
    (folder / "quizzes" / "broken.yaml").write_text("slug: a\n  title: [")
    with pytest.raises(CommandError, match=r"roken.yaml, line 2"):
        load(str(folder))


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with pytest.raises(CommandError, match="no folder"):
        load(str(tmp_path / "nowhere"))
