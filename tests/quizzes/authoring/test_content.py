"""The content that ships loads, loading again changes nothing, and edits are kept."""

import re
import shutil
from collections import Counter
from io import StringIO

import pytest
import yaml
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import transaction

from lessons.errors import ContentError
from lessons.models import Lesson
from lessons.pages.queries import sections_by_family
from quizzes import problems
from quizzes.authoring.services.loading import load_questions
from quizzes.authoring.services.publishing import find_obstacles, find_question_faults, slot_cost
from quizzes.models import Choice, ConceptQuestion, Quiz, Slot, Topic
from tests.world import found_in, missing_in

# On one xdist worker, as loading all that ships takes seconds.
pytestmark = [pytest.mark.django_db, pytest.mark.xdist_group("content")]

CONTENT = settings.BASE_DIR / "content"
# Too long for fifteen questions in 23 minutes. They are practised, and each step is asked.
TOO_LONG = {
    *("attention", "attention_matrix", "concat_heads", "encoder_block", "multi_head"),
    "pre_post_norm",
}


def load(*arguments):
    output = StringIO()
    call_command("load_content", *arguments, stdout=output)
    return output.getvalue()


@pytest.fixture(scope="module", autouse=True)
def shipped(django_db_setup, django_db_blocker, tmp_path_factory):
    """Load what ships, once for the module; each test undoes its own changes.

    It loads from a copy: a first load trusts the folder that ships, but here its texts are checked.
    """
    copy = shutil.copytree(CONTENT, tmp_path_factory.mktemp("shipped") / "content")
    with django_db_blocker.unblock(), transaction.atomic():
        load(str(copy))
        yield
        transaction.set_rollback(True)


def test_what_ships_loads_and_is_published():
    assert Lesson.objects.filter(published=True).exists()
    assert Quiz.objects.filter(published=True).exists()
    for quiz in Quiz.objects.all():
        assert find_obstacles(quiz) == []
    for question in ConceptQuestion.objects.all():
        assert find_question_faults(question.choices.all()) == []
        assert question.section is not None, question.key
        assert question.published, question.key


def test_no_topic_is_called_like_a_kind_of_problem():
    assert not {topic.title for topic in Topic.objects.all()} & {
        problems.family_title(key) for key in problems.family_keys()
    }


def test_a_typical_student_has_the_time_for_every_quiz_that_ships():
    for quiz in Quiz.objects.all():
        costs = [slot_cost(slot) for slot in quiz.slots.all()]
        assert (len(costs), quiz.own_sitting.minutes) == (15, 23)
        assert sum(cost.typical_minutes for cost in costs) <= 23, quiz
        assert max(cost.typical_minutes for cost in costs) <= 6, quiz


def test_the_quizzes_together_ask_every_family_that_is_short_enough_and_every_topic():
    slots = [slot for quiz in Quiz.objects.all() for slot in quiz.slots.all()]
    families = [slot.family for slot in slots if slot.family]
    topics = {slot.topic for slot in slots if slot.topic}
    assert sorted(families) == sorted(set(problems.family_keys()) - TOO_LONG)
    assert topics == set(ConceptQuestion.objects.values_list("topic", flat=True))


def test_every_topic_that_is_asked_has_a_title_and_a_part_of_the_model():
    asked = set(Slot.objects.exclude(topic="").values_list("topic", flat=True))
    titles = dict(Topic.objects.exclude(part="").values_list("key", "title"))
    assert asked == set(titles)
    assert len(set(titles.values())) == len(titles)
    assert [title for title in titles.values() if "$" in title or len(title) > 40] == []


def test_there_are_many_questions_and_several_on_every_topic():
    questions = Counter(ConceptQuestion.objects.values_list("topic", flat=True))
    assert questions.total() >= 60
    assert [topic for topic, count in questions.items() if count < 2] == []


def test_a_quiz_asks_only_what_its_lesson_or_an_earlier_one_teaches():
    for quiz in Quiz.objects.all():
        topics = [slot.topic for slot in quiz.slots.all() if slot.topic]
        for question in ConceptQuestion.objects.filter(topic__in=topics):
            assert question.section.lesson.order <= quiz.lesson.order, question.key


def test_no_choice_is_a_formula_alone():
    """A button whose label is nothing but MathML has no name that can be read out."""
    texts = Choice.objects.values_list("text", flat=True)
    assert [text for text in texts if not re.search(r"\w", re.sub(r"\$[^$]*\$", "", text))] == []


def test_loading_again_changes_nothing():
    assert found_in(load(), "created", "updated") == []


def test_an_edit_is_kept_unless_it_is_to_be_overwritten():
    quiz = Quiz.objects.filter(slug="attention-foundations")
    question = ConceptQuestion.objects.filter(key="mask-why")
    quiz.update(title="Edited")
    question.update(prompt="Edited?")
    assert load().count("edited since it was loaded") == 2
    assert (quiz.get().title, question.get().prompt) == ("Edited", "Edited?")
    load("--overwrite")
    assert quiz.get().title != "Edited"
    assert question.get().prompt != "Edited?"


@pytest.fixture
def folder(tmp_path):
    """An empty folder of content to load beside what ships."""
    for name in ("lessons", "questions", "quizzes"):
        (tmp_path / name).mkdir()
    return tmp_path


SPOILED = {"questions": "causal-mask.yaml", "quizzes": "attention-foundations.yaml"}


def spoil(folder, name, change):
    file = SPOILED[name]
    data = yaml.safe_load((CONTENT / name / file).read_text())
    change(data)
    (folder / name / file).write_text(yaml.safe_dump(data))
    return file


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        (
            "quizzes",
            lambda quiz: quiz["slots"][1].update(family="attend"),
            "there’s no family “attend”",
        ),
        ("quizzes", lambda quiz: quiz.update(lesson="nowhere"), "no lesson “nowhere”"),
        ("quizzes", lambda quiz: quiz.pop("slots"), "slots is missing"),
        ("questions", lambda file: file["questions"][0]["choices"].pop(), "at least 4 choices"),
        ("questions", lambda file: file["questions"][0].update(prompt="$\\frac{1$"), "line 1"),
        ("questions", lambda file: file["questions"][0].pop("topic"), "topic is missing"),
    ],
)
def test_errors_of_a_file_are_reported_with_its_name(folder, name, change, message):
    file = spoil(folder, name, change)
    with pytest.raises(CommandError, match=message) as refused:
        load(str(folder))
    assert file.lower() in str(refused.value).lower()


def test_a_topic_keeps_as_many_questions_as_a_quiz_that_ships_asks(folder):
    """A quiz that has not changed is checked, too, and nothing of a refused load is kept."""
    shutil.copy(CONTENT / "quizzes" / SPOILED["quizzes"], folder / "quizzes")
    slot = Slot.objects.filter(quiz__slug="attention-foundations").exclude(topic="").first()
    questions = ConceptQuestion.objects.filter(topic=slot.topic)
    keys = list(questions.values_list("key", flat=True))

    def withdraw(keys):
        data = {"questions": [], "withdrawn": keys}
        (folder / "questions" / "gone.yaml").write_text(yaml.safe_dump(data))
        return load(str(folder))

    with pytest.raises(CommandError) as refused:
        withdraw(keys)
    title = Topic.objects.get(key=slot.topic).title
    assert f"Topic “{title}” is asked" in str(refused.value)
    assert "has no usable question" in str(refused.value)
    assert questions.filter(published=True).count() == len(keys)
    assert missing_in(withdraw(keys[:1]), "1 withdrawn", "quizzes: 1 unchanged") == []
    assert questions.filter(published=True).count() == len(keys) - 1


def test_a_file_that_is_not_yaml_is_reported_with_its_line_and_so_is_a_missing_folder(folder):
    (folder / "quizzes" / "broken.yaml").write_text("slug: a\n  title: [")
    with pytest.raises(CommandError, match=r"roken.yaml, line 2"):
        load(str(folder))
    with pytest.raises(CommandError, match="no folder"):
        load(str(folder / "nowhere"))


def test_every_family_has_a_section_that_teaches_it():
    homes = sections_by_family()
    assert set(homes) == {key for key, _ in problems.family_choices()}
    for slot in Slot.objects.exclude(family="").select_related("quiz"):
        assert homes[slot.family].lesson.order <= slot.quiz.lesson.order, slot.family


def test_a_topic_that_was_renamed_keeps_its_name_and_gets_the_part_that_its_file_says(tmp_path):
    def load(part, **how):
        file_text = f"topics: {{a-topic: {{title: A topic, part: {part}}}}}\nquestions: []\n"
        (tmp_path / "questions.yaml").write_text(file_text)
        load_questions(folder=tmp_path, **how)
        topic = Topic.objects.get(key="a-topic")
        return topic.title, topic.part

    Topic.objects.create(key="a-topic", title="Renamed")
    assert load("heads") == ("Renamed", "heads")
    assert load("heads", overwrite=True) == ("A topic", "heads")
    Topic.objects.filter(key="a-topic").update(title="Renamed")
    assert load("heads") == ("Renamed", "heads")
    with pytest.raises(ContentError, match="elbows") as wrong:
        load("elbows", overwrite=True)
    assert wrong.value.where == "questions.yaml, a-topic"
