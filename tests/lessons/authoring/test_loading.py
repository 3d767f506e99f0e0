"""Loading lessons: repeating changes nothing, edits are kept, and errors change nothing."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from foundation.loading import LoadOutcome
from lessons import fields
from lessons.authoring.services import export_lesson, import_lesson, load_lessons
from lessons.errors import ContentError
from lessons.models import Lesson, Section
from quizzes.management.commands import load_content
from tests.lessons.conftest import SMALL
from tests.world import refresh


@pytest.fixture
def small_folder(tmp_path):
    (tmp_path / "small.md").write_text(SMALL)
    return tmp_path


def outcomes(small_folder, **options):
    return [loaded.outcome for loaded in load_lessons(folder=small_folder, **options)]


def test_loading_twice_changes_nothing(db, small_folder):
    assert outcomes(small_folder) == [LoadOutcome.CREATED]
    before = Lesson.objects.get().updated
    assert outcomes(small_folder) == [LoadOutcome.UNCHANGED]
    assert Lesson.objects.get().updated == before


def test_what_a_file_leaves_out_is_no_edit(db, small_folder):
    (small_folder / "small.md").write_text(SMALL.replace("level: beginner\n", ""))
    load_lessons(folder=small_folder)
    assert outcomes(small_folder) == [LoadOutcome.UNCHANGED]


def test_a_new_file_updates_a_lesson_that_nobody_edited(db, small_folder):
    load_lessons(folder=small_folder)
    (small_folder / "small.md").write_text(SMALL.replace("So small.", "Still small."))
    assert outcomes(small_folder) == [LoadOutcome.UPDATED]
    assert Lesson.objects.get().tagline == "Still small."


def test_an_edit_is_kept_unless_overwriting_is_requested(db, small_folder):
    load_lessons(folder=small_folder)
    Section.objects.filter(slug="one").update(body="My own words.")
    (small_folder / "small.md").write_text(SMALL.replace("So small.", "Still small."))
    assert outcomes(small_folder) == [LoadOutcome.KEPT]
    assert Section.objects.get(slug="one").body == "My own words."
    assert outcomes(small_folder, overwrite=True) == [LoadOutcome.UPDATED]
    assert Section.objects.get(slug="one").body == "A token, more tokens."


def test_sections_keep_their_rows(small_lesson):
    """Questions refer to sections."""
    row = small_lesson.sections.get(slug="second-thoughts").pk
    import_lesson(text=SMALL.replace("## Second thoughts", "## Third {#second-thoughts}"))
    section = Section.objects.get(pk=row)
    assert (section.title, section.order) == ("Third", 2)


def test_what_the_file_no_longer_has_goes(small_lesson):
    start = SMALL.index("## Second")
    import_lesson(text=SMALL[:start].replace("tagline: So small.\n", ""))
    assert (refresh(small_lesson).tagline, small_lesson.sections.count()) == ("", 1)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("minutes: 5", "minutes: none", "minutes"),
        ("minutes: 5", "minutes: 0", "minutes"),
        ("minutes: 5", "length: 5", "there’s no field length"),
        ("title: A small lesson\n", "", "title"),
        ("slug: small", "slug: not a slug", "slug"),
        ("  second line.", "  $\\foo$", "today"),
        ("  meaning: A piece of text.", "  sense: A piece.", "a word has no field sense"),
        ("{#one}", "{#second-thoughts}", "already exists"),
    ],
)
def test_a_wrong_file_is_reported_and_changes_nothing(small_lesson, old, new, message):
    before = export_lesson(lesson=small_lesson)
    with pytest.raises(ContentError, match=message):
        import_lesson(text=SMALL.replace(old, new))
    assert export_lesson(lesson=refresh(small_lesson)) == before
    assert Lesson.objects.count() == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("x^2", "\\foo", "worse.md, section “Second thoughts”, line 24: the formula"),
        ("minutes: 5", "minutes: [5", "worse.md, line 7, column 6: this isn’t YAML"),
        ("minutes: 5", "minutes: 0", "worse.md, A small lesson: minutes: "),
    ],
)
def test_the_file_that_is_wrong_is_named_with_the_place(db, small_folder, old, new, message):
    (small_folder / "worse.md").write_text(SMALL.replace(old, new))
    with pytest.raises(ContentError) as error:
        load_lessons(folder=small_folder)
    assert str(error.value).startswith(message)


def test_a_text_is_checked_once_on_its_way_in(db, monkeypatch):
    checked = []
    monkeypatch.setattr(fields, "find_errors", lambda text: (checked.append(text) or [], 0))
    import_lesson(text=SMALL)
    assert sorted(checked) == sorted(text for text in Lesson.objects.get().texts() if text)


def test_only_a_first_load_of_what_ships_takes_its_texts_unread(db, tmp_path, monkeypatch):
    for name in ("lessons", "questions", "quizzes"):
        (tmp_path / name).mkdir()
    file, folder = tmp_path / "lessons/small.md", str(tmp_path)
    file.write_text(SMALL.replace("x^2", "\\foo"))
    with pytest.raises(CommandError, match="the formula"):
        call_command("load_content", folder, stdout=StringIO())
    monkeypatch.setattr(load_content, "SHIPPED", tmp_path)
    call_command("load_content", folder, stdout=StringIO())
    assert Lesson.objects.count() == 1
    file.write_text(SMALL.replace("x^2", "\\bar"))
    with pytest.raises(CommandError, match="the formula"):
        call_command("load_content", folder, stdout=StringIO())
