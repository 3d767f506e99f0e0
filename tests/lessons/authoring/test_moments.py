"""Joint changes are one moment of the history, by the one who made them."""

from lessons.authoring.services import import_lesson, publish_lesson, withdraw_lesson
from lessons.models import Lesson, Section, Word
from tests.lessons.conftest import SMALL

RECORDED = (Lesson, Section, Word)


def moments() -> set:
    return {row.history_date for model in RECORDED for row in model.history.all()}


def test_loading_a_lesson_is_one_moment(small_lesson):
    assert len(moments()) == 1
    assert [model.history.count() for model in RECORDED] == [1, 2, 1]


def test_a_change_of_several_rows_is_one_moment_by_one_person(small_lesson, author):
    text = SMALL.replace("So small.", "Smaller.").replace("A token,", "One token,")
    import_lesson(text=text, user=author, reason="Imported")
    assert len(moments()) == 2
    changed = Section.history.first()
    assert (changed.history_user, changed.history_change_reason) == (author, "Imported")


def test_what_did_not_change_is_not_written_again(small_lesson):
    import_lesson(text=SMALL.replace("A token,", "One token,"))
    assert [model.history.count() for model in RECORDED] == [1, 3, 1]


def test_withdrawing_and_publishing_are_moments_of_their_own_by_one_person(small_lesson, author):
    withdraw_lesson(lesson=small_lesson, user=author)
    assert not Lesson.objects.get().published
    publish_lesson(lesson=small_lesson, user=author)
    assert Lesson.objects.get().published
    assert len(moments()) == 3
    assert [row.history_user for row in Lesson.history.all()] == [author, author, None]
