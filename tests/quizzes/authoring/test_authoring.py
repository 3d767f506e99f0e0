"""Reasons that keep a quiz from being published and a question from being asked."""

import pytest
import yaml

from lessons.errors import ContentError
from quizzes.authoring.services.loading import load_questions, load_quizzes
from quizzes.authoring.services.publishing import find_obstacles, find_question_faults
from quizzes.authoring.services.quizzes import publish_quiz, withdraw_quiz
from quizzes.models import Choice, ConceptQuestion, Quiz, Sitting, Slot
from tests.world import fresh


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


@pytest.mark.parametrize("count", [0, 14, 16])
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
    assert first.startswith("Slot 3: no family 'gone'")
    assert second.startswith("Slot 15: softmax_row: tokens is one of")


def test_a_topic_needs_as_many_fit_questions_as_it_is_asked_for(fit_quiz):
    quiz = fit_quiz
    assert find_obstacles(quiz) == []
    question = ConceptQuestion.objects.filter(topic="values").first()
    lacking = "Topic “values” is asked 2 times (slots 13, 14) but has 1 usable questions."
    question.published = False
    question.save()
    assert find_obstacles(quiz) == [lacking]
    question.published = True
    question.save()
    question.choices.first().delete()
    assert find_obstacles(quiz)[0] == lacking


def test_marks_that_are_shown_after_it_closes_need_a_moment(db):
    slots = softmaxes(*[2] * 15)
    expected = ["Marks are shown after the quiz closes, so enter a closing date."]
    assert troubles(slots, release=Sitting.Release.AFTER_CLOSE) == expected
    assert troubles(slots, release=Sitting.Release.BY_HAND) == []


@pytest.mark.parametrize(
    ("right", "feedback", "told"),
    [
        ("a", "abcd", []),
        ("a", "abcde", []),
        ("a", "abc", ["A question needs at least 4 choices."]),
        ("", "abcd", ["Exactly one choice must be correct."]),
        ("ab", "abcd", ["Exactly one choice must be correct."]),
        ("a", "abcc", ["Every choice needs its own key."]),
        ("a", "abc ", ["Every choice needs feedback."]),
    ],
)
def test_a_question_has_four_choices_one_of_them_right_each_with_its_feedback(
    right, feedback, told
):
    choices = [Choice(key=key, correct=key in right, feedback=key) for key in feedback]
    assert find_question_faults(choices) == told


def test_only_what_is_complete_is_published(fit_quiz):
    quiz = fit_quiz
    withdraw_quiz(quiz=quiz)
    last = quiz.slots.get(position=15)
    last.delete()
    assert publish_quiz(quiz=quiz) == ["A quiz must have exactly 15 slots. This one has 14."]
    assert not fresh(quiz).published
    last.save()
    assert publish_quiz(quiz=quiz) == []
    assert fresh(quiz).published


QUESTION = {
    "key": "k",
    "topic": "keys",
    "prompt": "?",
    "choices": [
        {"key": key, "text": key, "correct": key == "a", "feedback": key} for key in "abcd"
    ],
}


@pytest.mark.django_db
def test_what_a_file_asks_is_published_until_an_author_withdraws_it(tmp_path):
    def load(**change):
        file = {"questions": [QUESTION | change]}
        (tmp_path / "questions.yaml").write_text(yaml.safe_dump(file))
        (loaded,) = load_questions(folder=tmp_path)
        return loaded.outcome, ConceptQuestion.objects.get().published

    assert [load(), load()] == [("created", True), ("unchanged", True)]
    ConceptQuestion.objects.update(published=False)
    assert load(prompt="Another?") == ("updated", False)


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
        before = list(Slot.objects.values_list("pk", flat=True))
        load(title="A", slots=[{"topic": "keys"}, {"family": "cosine"}])
        assert list(Slot.objects.values_list("pk", "family", "topic")) == [
            (before[0], "", "keys"),
            (before[1], "cosine", ""),
        ]

    @pytest.mark.parametrize(
        ("wrong", "told"),
        [
            ({"minutes": 0}, "quiz.yaml: .*greater than or equal to 1"),
            ({"slots": [{"family": "cosine", "points": 0}]}, "greater than or equal to 1"),
            (
                {"slots": [{"family": "cosine", "topic": "keys"}]},
                "needs either a family or a topic",
            ),
            ({"slots": [{"topic": "two words"}]}, "valid “slug”"),
            ({"published": True}, "exactly 15 slots"),
        ],
    )
    def test_errors_are_reported_and_nothing_of_the_quiz_is_kept(self, load, wrong, told):
        with pytest.raises(ContentError, match=told):
            load(**{"title": "A", "slots": [{"family": "cosine"}], **wrong})
        assert not Quiz.objects.exists()

    def test_a_question_is_loaded_with_its_choices_in_their_order(self, db, tmp_path):
        def load(prompt, keys="abcd"):
            choices = [
                {"key": key, "text": f" {key} ", "correct": key == "a", "feedback": "Because."}
                for key in keys
            ]
            question = {"key": "q", "topic": "keys", "prompt": prompt, "choices": choices}
            (tmp_path / "q.yaml").write_text(yaml.safe_dump({"questions": [question]}))
            (loaded,) = load_questions(folder=tmp_path)
            return loaded.outcome.value

        outcomes = [load("One?"), load("One?"), load("Two?", "dcba"), load("Two?", "dcba")]
        assert outcomes == ["created", "unchanged", "updated", "unchanged"]
        question = ConceptQuestion.objects.get()
        assert (question.prompt, question.explanation, question.section) == ("Two?", "", None)
        found = list(question.choices.values_list("key", "order", "correct"))
        assert found == [("d", 0, False), ("c", 1, False), ("b", 2, False), ("a", 3, True)]
