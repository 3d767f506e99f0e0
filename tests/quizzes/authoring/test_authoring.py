"""Reasons that keep a quiz from being published and a question from being asked."""

import pytest
import yaml
from django.db import connection
from django.test.utils import CaptureQueriesContext

from foundation.loading import fingerprint
from lessons.errors import ContentError
from quizzes.authoring.content_files import serialize_question
from quizzes.authoring.services.loading import load_questions, load_quizzes
from quizzes.authoring.services.publishing import find_obstacles, find_question_faults
from quizzes.authoring.services.quizzes import publish_quiz, withdraw_quiz
from quizzes.items.services.questions import write_question
from quizzes.items.skills import Skill
from quizzes.models import Choice, ConceptQuestion, Quiz, Sitting, Slot, Topic
from quizzes.practice.services import practise_skill
from tests.each import each
from tests.quizzes.authoring.files import question_in_file
from tests.world import refresh


def softmaxes(*tokens):
    """Return a slot for each number of cells to ask for."""
    return [
        Slot(position=position, family="softmax_row", options={"tokens": cells})
        for position, cells in enumerate(tokens, start=1)
    ]


def troubles(slots, **rules):
    return find_obstacles(Quiz(), slots, Sitting(**{"minutes": 60} | rules))


def test_sixty_cells_may_be_asked_for_and_no_more(db):
    assert troubles(softmaxes(*[4] * 15)) == []
    (reason,) = troubles(softmaxes(*[4] * 14, 5))
    assert reason == "The slots have 61 cells to fill in. At most 60 fit in the time limit."


@each("count", [0, 14, 16])
def test_a_quiz_has_fifteen_slots(db, count):
    assert f"This one has {count}" in troubles(softmaxes(*[2] * count))[0]


def test_positions_run_from_one_to_fifteen_in_any_order(db):
    slots = softmaxes(*[2] * 15)
    assert troubles(slots[::-1]) == []
    for position in (0, 14, 16):
        slots[14].position = position
        assert troubles(slots) == ["The positions must run from 1 to 15, with no repeats."]


def test_every_slot_that_cannot_be_drawn_is_named(db):
    slots = softmaxes(*[2] * 14, 9)
    slots[2].family = "gone"
    first, second = troubles(slots)
    assert first.startswith("Slot 3: there’s no family “gone”. Choose something else")
    assert second.startswith("Slot 15: softmax_row: tokens is one of")


def test_a_topic_needs_as_many_fit_questions_as_it_is_asked_for(publishable_quiz):
    assert find_obstacles(publishable_quiz) == []
    lacking = "Topic “values” is asked 2 times (slots 13, 14). Usable questions on it: 1."
    question = ConceptQuestion.objects.filter(key="values-1")
    question.update(published=False)
    assert find_obstacles(publishable_quiz) == [lacking]
    question.update(published=True)
    question.get().choices.first().delete()
    assert find_obstacles(publishable_quiz)[0] == lacking


def test_marks_that_are_shown_after_it_closes_need_a_moment(db):
    slots = softmaxes(*[2] * 15)
    expected = ["Marks are shown after the quiz closes, so enter a closing date."]
    assert troubles(slots, release=Sitting.Release.AFTER_CLOSE) == expected
    assert troubles(slots, release=Sitting.Release.BY_HAND) == []


@each(
    "right, feedback, message",
    [
        ("a", "abcd", []),
        ("a", "abcde", []),
        ("a", "abc", ["A question needs at least 4 choices."]),
        *((right, "abcd", ["Exactly one choice must be correct."]) for right in ("", "ab")),
        ("a", "abcc", ["Every choice needs its own key."]),
        ("a", "abc ", ["Every choice needs feedback."]),
    ],
)
def test_a_question_has_four_choices_one_right_each_with_its_feedback(right, feedback, message):
    choices = [Choice(key=key, correct=key in right, feedback=key) for key in feedback]
    assert find_question_faults(choices) == message


def test_only_what_is_complete_is_published(publishable_quiz):
    quiz = publishable_quiz
    withdraw_quiz(quiz=quiz)
    last = quiz.slots.get(position=15)
    last.delete()
    assert publish_quiz(quiz=quiz) == ["A quiz must have exactly 15 slots. This one has 14."]
    assert not refresh(quiz).published
    last.save()
    assert publish_quiz(quiz=quiz) == []
    assert refresh(quiz).published


@pytest.mark.django_db
def test_a_file_s_question_is_published_until_an_author_withdraws_it(tmp_path):
    def load(*more):
        file = {"questions": [question_in_file("q", "keys", *more)]}
        (tmp_path / "q.yaml").write_text(yaml.safe_dump(file))
        (loaded,) = load_questions(folder=tmp_path)
        return loaded.outcome.value, ConceptQuestion.objects.get().published

    assert [load(), load()] == [("created", True), ("unchanged", True)]
    ConceptQuestion.objects.update(published=False)
    turned = "Two?", "dcba"
    assert [load(*turned), load(*turned)] == [("updated", False), ("unchanged", False)]
    question = ConceptQuestion.objects.get()
    assert (question.prompt, question.explanation, question.section) == ("Two?", "", None)
    found = list(question.choices.values_list("key", "order", "correct"))
    assert found == [("d", 0, False), ("c", 1, False), ("b", 2, False), ("a", 3, True)]


class TestLoadingQuestions:
    @pytest.fixture
    def load(self, db, tmp_path):
        """Return a function that loads a file with questions of these keys and prompts."""

        def load(prompts, **change):
            questions = [question_in_file(key, "keys", prompts[key]) for key in prompts]
            questions[-1] |= change
            file = {"topics": {key: f"About {key}" for key in prompts}, "questions": questions}
            (tmp_path / "questions.yaml").write_text(yaml.safe_dump(file))
            return [loaded.outcome.value for loaded in load_questions(folder=tmp_path)]

        return load

    def test_more_questions_take_no_more_queries(self, load):
        def count(prompts):
            with CaptureQueriesContext(connection) as queries:
                load(prompts)
            return len(queries)

        few, many = dict.fromkeys(["k-1", "k-2"], "?"), {f"m-{n}": "?" for n in range(20)}
        assert [count(few), count(few)] == [count(many), count(many)]
        assert ConceptQuestion.objects.count() == 22

    def test_what_is_new_and_what_has_changed_is_written_beside_what_stays(self, load):
        load({"k-1": "One?", "k-2": "Two?"})
        outcomes = load({"k-1": "Changed?", "k-2": "Two?", "k-3": "Three?"})
        assert outcomes == ["updated", "unchanged", "created"]
        prompts = dict(ConceptQuestion.objects.values_list("key", "prompt"))
        assert prompts == {"k-1": "Changed?", "k-2": "Two?", "k-3": "Three?"}
        assert Choice.objects.filter(correct=True, question__key="k-3").get().key == "a"
        assert Choice.objects.count() == 12

    def test_of_two_questions_with_one_key_the_last_is_written(self, load, tmp_path):
        file = {"questions": [question_in_file("k", "keys", text) for text in ("?", "Another?")]}
        (tmp_path / "twice.yaml").write_text(yaml.safe_dump(file))
        load_questions(folder=tmp_path)
        assert ConceptQuestion.every.get().prompt == "Another?"
        assert Choice.objects.count() == 4

    def test_what_a_question_asks_for_reaches_one_that_was_loaded_before_but_not_an_edited_one(
        self, load
    ):
        load({"k-1": "One?"})
        content = serialize_question(ConceptQuestion.objects.get())
        content.pop("asks", None)  # as an earlier release read and recorded it
        ConceptQuestion.objects.update(source_hash=fingerprint(content))
        assert load({"k-1": "One?"}, asks="recall") == ["updated"]
        assert load({"k-1": "One?"}, asks="recall") == ["unchanged"]
        question = ConceptQuestion.every.get()
        assert (question.asks, question.version) == ("recall", 1)
        ConceptQuestion.objects.update(asks="reasoning")
        assert load({"k-1": "One?"}, asks="computing") == ["kept"]
        assert ConceptQuestion.objects.get().asks == "reasoning"

    def test_what_a_question_asks_for_is_the_same_in_all_its_versions(self, load, student):
        load({"k-1": "One?"}, asks="recall")
        practise_skill(student=student, skill=Skill("topic", "keys"))
        load({"k-1": "Two?"}, asks="recall")
        load({"k-1": "Two?"}, asks="computing")
        versions = ConceptQuestion.every.order_by("version").values_list("version", "asks")
        assert list(versions) == [(1, "computing"), (2, "computing")]

    def test_a_question_asks_for_one_of_three_kinds_of_thinking(self, load):
        with pytest.raises(ContentError, match=r"k-1: .*guessing") as wrong:
            load({"k-1": "One?"}, asks="guessing")
        assert wrong.value.where == "questions.yaml, k-1"

    def test_nothing_of_a_file_with_a_mistake_is_written(self, load):
        load({"k-1": "One?"})
        with pytest.raises(ContentError, match="no section “x”") as wrong:
            load({"k-1": "Changed?", "k-2": "Two?"}, lesson="small", section="x")
        assert wrong.value.where == "questions.yaml, k-2"
        assert ConceptQuestion.objects.get().prompt == "One?"
        assert Topic.objects.get().key == "k-1"


class TestWithdrawnKeys:
    """A file lists the keys of questions that it no longer ships."""

    @pytest.fixture
    def load(self, db, tmp_path):
        """Return a function that loads files, each with some keys and some withdrawn."""

        def load(*files, prompt="?", **how):
            for number, (keys, withdrawn) in enumerate(files):
                questions = [question_in_file(key, "keys", prompt) for key in keys]
                data = {"questions": questions, "withdrawn": withdrawn}
                (tmp_path / f"{number}.yaml").write_text(yaml.safe_dump(data))
            loaded = load_questions(folder=tmp_path, **how)
            return {each.name: each.outcome.value for each in loaded}

        load((["k-1", "k-2"], []))
        return load

    def published(self):
        rows = ConceptQuestion.every.filter(published=True).order_by("key", "version")
        return list(rows.values_list("key", flat=True))

    def test_a_question_is_withdrawn_once_and_in_all_its_versions(self, load, student):
        practise_skill(student=student, skill=Skill("topic", "keys"))
        load((["k-1", "k-2"], []), prompt="Again?")
        assert len(self.published()) == 3
        gone = ([], ["k-1", "k-2"])
        assert load(gone) == {"k-1": "withdrawn", "k-2": "withdrawn"}
        assert self.published() == []
        assert load(gone) == {"k-1": "unchanged", "k-2": "unchanged"}

    def test_one_that_an_author_publishes_again_stays_published(self, load):
        gone = (["k-1"], ["k-2"])
        load(gone)
        question = ConceptQuestion.objects.get(key="k-2")
        question.published = True
        write_question(question=question, choices=list(question.choices.all()))
        for how in ({}, {"overwrite": True}):
            assert load(gone, **how)["k-2"] == "unchanged"
            assert self.published() == ["k-1", "k-2"]
        ConceptQuestion.objects.filter(key="k-2").update(prompt="Edited?")
        assert load(gone)["k-2"] == "kept"
        assert self.published() == ["k-1", "k-2"]

    def test_one_that_an_author_edited_stays_theirs(self, load):
        ConceptQuestion.objects.filter(key="k-2").update(prompt="Edited?")
        gone = (["k-1"], ["k-2"])
        assert load(gone)["k-2"] == "kept"
        assert self.published() == ["k-1", "k-2"]
        assert load(gone, overwrite=True)["k-2"] == "withdrawn"
        assert self.published() == ["k-1"]

    def test_one_of_an_author_that_has_the_key_stays_theirs(self, load):
        ConceptQuestion.objects.filter(key="k-2").update(source_hash="")
        assert load((["k-1"], ["k-2"]))["k-2"] == "kept"

    def test_a_key_that_no_question_has_is_ignored(self, load):
        assert load((["k-1"], ["k-0"])) == {"k-1": "unchanged"}

    def test_one_that_returns_to_a_file_is_asked_again(self, load):
        load((["k-1"], ["k-2"]))
        assert load((["k-1", "k-2"], []))["k-2"] == "updated"
        assert self.published() == ["k-1", "k-2"]
        assert load((["k-1", "k-2"], []))["k-2"] == "unchanged"

    @pytest.mark.parametrize(
        "files", [[(["k-1", "k-2"], ["k-2"])], [(["k-1"], ["k-2"]), (["k-2"], [])]]
    )
    def test_a_key_is_not_both_of_a_question_and_withdrawn(self, load, files):
        with pytest.raises(ContentError, match="both") as wrong:
            load(*files)
        assert wrong.value.where == "0.yaml, k-2"
        assert self.published() == ["k-1", "k-2"]


class TestLoading:
    @pytest.fixture
    def load(self, db, tmp_path):
        """Return a function that loads a draft quiz from a file with this data."""

        def load(**data):
            (tmp_path / "quiz.yaml").write_text(yaml.safe_dump({"slug": "q", **data}))
            (loaded,) = load_quizzes(folder=tmp_path, overwrite=False)
            return loaded

        return load

    def test_what_a_file_leaves_out_is_what_a_new_quiz_has(self, load):
        load(title="A quiz", slots=[{"family": "cosine"}])
        quiz, new = Quiz.objects.get(), Quiz()
        rules, usual = quiz.own_sitting, Sitting()
        assert (rules.minutes, rules.release) == (usual.minutes, usual.release)
        assert quiz.published is new.published is False
        slot = quiz.slots.get()
        assert (slot.options, slot.points, slot.topic) == ({}, 1, "")

    def test_a_changed_file_is_loaded_and_an_unchanged_one_is_reported(self, load):
        slots = [{"family": "cosine", "points": 2}, {"topic": "keys"}]
        outcomes = [load(title=title, slots=slots).outcome.value for title in ("A", "A", "B", "B")]
        assert outcomes == ["created", "unchanged", "updated", "unchanged"]

    def test_slots_keep_their_rows_and_those_left_over_are_dropped(self, load):
        load(title="A", slots=[{"family": "cosine"}, {"topic": "keys"}, {"topic": "values"}])
        first, second, _third = Slot.objects.values_list("pk", flat=True)
        load(title="A", slots=[{"topic": "keys"}, {"family": "cosine"}])
        slots = list(Slot.objects.values_list("pk", "family", "topic"))
        assert slots == [(first, "", "keys"), (second, "cosine", "")]

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({"minutes": 0}, "quiz.yaml: .*greater than or equal to 1"),
            ({"slots": [{"family": "cosine", "points": 0}]}, "greater than or equal to 1"),
            ({"slots": [{"family": "cosine", "topic": "keys"}]}, "either a family or a topic"),
            ({"slots": [{"topic": "two words"}]}, "valid “slug”"),
            ({"published": True}, "exactly 15 slots"),
        ],
    )
    def test_errors_are_reported_and_nothing_of_the_quiz_is_kept(self, load, wrong, message):
        with pytest.raises(ContentError, match=message):
            load(**{"title": "A", "slots": [{"family": "cosine"}], **wrong})
        assert not Quiz.objects.exists()
