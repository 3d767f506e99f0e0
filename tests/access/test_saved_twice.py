"""Two people with the same form open: the second save does not overwrite the first."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO

import pytest
from django.contrib import admin
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import RequestFactory
from django.urls import reverse
from PIL import Image

from lessons.authoring.services import save_image
from lessons.models import Lesson, LessonImage
from quizzes.models import Quiz, Slot, Topic
from tests.access.addresses import ADDRESSES
from tests.conftest import FormClient
from tests.each import each, undone
from tests.page_forms import form_with
from tests.world import missing_in

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Two:
    """A form in which two people change one field each, and then both the same field."""

    first: tuple[str, str]
    second: tuple[str, str]
    other: str  # the second person's text in the first person's field


ADMIN = {
    "auth.group": Two(("name", "Teachers"), ("name", "Staff"), "Staff"),
    "accounts.user": Two(("sorts_as", "L, Ada"), ("is_active", "on"), "B, Ada"),
    "lessons.lesson": Two(("title", "Theirs"), ("tagline", "Mine."), "Mine"),
    "lessons.lessonimage": Two(("alt", "theirs"), ("name", "mine"), "mine"),
    "quizzes.conceptquestion": Two(("prompt", "Theirs?"), ("explanation", "Mine."), "Mine?"),
    "quizzes.extratime": Two(("minutes", "7"), ("factor", "2.00"), "9"),
    "quizzes.quiz": Two(("title", "Theirs"), ("pass_mark", "71"), "Mine"),
    "quizzes.writtenproblem": Two(("text", "title: Theirs"), ("corrects", "on"), "title: Mine"),
    "quizzes.topic": Two(("title", "Theirs"), ("part", "heads"), "Mine"),
}
TEACH = {
    "classes:settings": Two(("title", "Theirs"), ("first_day", "2027-03-01"), "Mine"),
    "classes:rules": Two(("minutes", "31"), ("attempts_allowed", "3"), "32"),
    "classes:exception": Two(("more_minutes", "31"), ("attempts_allowed", "3"), "32"),
}
# Forms of /teach/ that create rows and overwrite nothing.
MAKES = "makes something new"
ADDS = "changes what is chosen in it, and nothing that was only shown"
CONFIRMS = "asks about one deed, or confirms a preview, and does no other"
EXCUSED = {
    **dict.fromkeys(
        ("api:make-token", "classes:create", "classes:assign", "classes:except", "classes:person"),
        MAKES,
    ),
    "classes:new-ruling": MAKES,
    "classes:message": MAKES,
    "classes:change": ADDS,
    "api:revoke-token": CONFIRMS,
    **{
        f"classes:{name}": CONFIRMS
        for name in (
            *("copy", "paste", "upload", "preview", "apply-ruling", "undo-ruling", "ruling"),
            *("remove", "take-back", "release", "withdraw", "joining", "archive", "extend"),
            *("reopen", "hand-in", "mark-again", "write"),
        )
    },
    "classes:end-note": CONFIRMS,
    "classes:end-exception": "asks about one deed; an exception that has changed since is refused",
    "classes:reports": "answers a report; one that was answered meanwhile is refused",
}


def changed_in_admin() -> dict:
    """Return the registered admins in which an administrator may change rows, by their models."""
    request = RequestFactory().get("/")
    request.user = type("Administrator", (), {"is_superuser": True, "pk": 0})()
    request.user.has_perm = lambda *_any: True
    request.user.is_staff = request.user.is_active = True
    return {
        model._meta.label_lower: each
        for model, each in admin.site._registry.items()
        if each.has_change_permission(request)
    }


def test_every_admin_form_is_in_the_table():
    assert set(ADMIN) == set(changed_in_admin())


def test_every_form_of_a_class_is_in_a_table():
    posted = {
        name
        for name, (path, _who, *takes) in ADDRESSES.items()
        if path.startswith("/teach/") and "POST" in (takes or [frozenset()])[0]
    }
    assert posted == set(TEACH) | set(EXCUSED)


def opened_by(user, path: str):
    """Open the form of an address and return a function that posts it, with changes applied."""
    client = FormClient()
    client.force_login(user)
    page = client.get(path, follow=True)
    assert page.status_code == 200, path
    typed = form_with(page.text, "opened")

    def save(**changed):
        sent = typed | {name: [value] for name, value in changed.items()}
        answer = client.post(path, sent | {"_save": "Save"})
        if answer.status_code == 200:
            typed.clear()
            typed.update(form_with(answer.text, "opened"))
        return answer

    save.typed, save.as_opened = typed, dict(typed)
    return save


def reopened(save):
    """Return the function with its form as it was when it was opened."""
    save.typed.clear()
    save.typed.update(save.as_opened)
    return save


@pytest.fixture
def opened(people, objects):
    """Return a function that opens a form as one of two administrators who teach the class."""
    Quiz.objects.update(published=False)  # it lacks the questions that a published quiz needs
    people["neighbour"].is_staff = people["neighbour"].is_superuser = True
    people["neighbour"].save()
    return lambda name, path: opened_by(people[name], path)


def addresses(world) -> list[tuple[str, Two]]:
    """Return the address of every form in the tables, with the changes of the two."""
    in_admin = [
        (reverse(f"admin:{label.replace('.', '_')}_change", args=[world[label]]), two)
        for label, two in ADMIN.items()
    ]
    return in_admin + [(ADDRESSES[name][0].format(**world), two) for name, two in TEACH.items()]


@pytest.mark.service
def test_what_the_first_saved_is_not_undone_by_the_second_who_alone_is_told(
    objects, opened, subtests
):
    for path, two in addresses(objects):
        with subtests.test(path):
            first, second = opened("administrator", path), opened("neighbour", path)
            (theirs, their_value), (mine, my_value) = two.first, two.second
            assert first(**{theirs: their_value}).status_code == 302
            with undone():
                page = second(**{theirs: two.other})
                assert page.status_code == 200
                assert "Changed here too" in page.text
                assert form_with(page.text, "opened")[theirs] == [two.other]
                assert second().status_code == 302
            page = reopened(second)(**{mine: my_value})
            assert page.status_code == 200
            assert missing_in(page.text, "administrator", "Nothing has been saved yet.") == []
            if theirs != mine:
                assert "Not changed here" in page.text
            assert second().status_code == 302
            now = opened("administrator", path)
            assert now.typed[mine] == [my_value]
            assert theirs == mine or now.typed[theirs] == [their_value]
            assert now(**{theirs: their_value}).status_code == 302  # nobody has touched it since


# Rows of a form


@pytest.fixture
def lesson(objects):
    found = Lesson.objects.get(pk=objects["lessons.lesson"])
    found.sections.create(slug="second", title="Second", body="More.", order=2)
    return found


@pytest.fixture
def both(lesson, opened):
    """Two people's open forms of the same lesson, which has two sections."""
    path = reverse("admin:lessons_lesson_change", args=[lesson.pk])
    return opened("administrator", path), opened("neighbour", path)


def bodies(lesson) -> list[str]:
    return sorted(lesson.sections.values_list("body", flat=True))


REMOVES = {"sections-0-DELETE": "on"}
CHANGES = {"sections-0-body": "Theirs."}
MINE = {"sections-0-body": "Mine."}


@each(
    "theirs, mine, told, left",
    [
        (CHANGES, {"sections-1-body": "Mine."}, "Not changed here", ["Mine.", "Theirs."]),
        (CHANGES, MINE, "First (Body: Theirs.)", ["Mine.", "More."]),
        (REMOVES, MINE, "Someone removed a part that you changed", ["Mine.", "More."]),
        (REMOVES, {"title": "Mine"}, "One part was removed.", ["More."]),
    ],
)
def test_rows_are_saved_as_whoever_worked_on_them_left_them(lesson, both, theirs, mine, told, left):
    first, second = map(reopened, both)
    assert first(**theirs).status_code == 302
    assert told in second(**mine).text
    assert second().status_code == 302
    assert bodies(lesson) == left


def test_a_row_that_was_added_meanwhile_stays_and_is_on_the_page(lesson, both):
    first, second = both
    new = {"title": "New", "slug": "new", "body": "New.", "order": "3"}
    added = {f"sections-2-{name}": value for name, value in new.items()}
    assert first(**added, **{"sections-TOTAL_FORMS": "3"}).status_code == 302
    page = second(**{"sections-1-body": "Mine."})
    assert form_with(page.text, "opened")["sections-2-body"] == ["New."]
    assert second().status_code == 302
    assert bodies(lesson) == ["Mine.", "New.", "Words."]


def test_choices_of_a_question_that_has_a_new_version_by_now_are_merged(objects, opened):
    path = reverse("admin:quizzes_conceptquestion_change", args=[objects["asked"][1:]])
    first, second = opened("administrator", path), opened("neighbour", path)
    assert first(**{"choices-0-feedback": "Theirs."}).status_code == 302
    assert "Not changed here" in second(**{"choices-1-feedback": "Mine."}).text
    assert second().status_code == 302
    now = opened("administrator", path).typed
    assert (now["choices-0-feedback"], now["choices-1-feedback"]) == (["Theirs."], ["Mine."])


def test_slots_that_only_one_of_two_changed_are_saved_as_each_left_them(objects, opened):
    path = reverse("admin:quizzes_quiz_change", args=[objects["quizzes.quiz"]])
    first, second = opened("administrator", path), opened("neighbour", path)
    assert first(**{"slots-0-points": "7"}).status_code == 302
    assert second(**{"slots-1-points": "8"}).status_code == 200
    assert second().status_code == 302
    points = Slot.objects.filter(quiz=objects["quizzes.quiz"]).order_by("position")
    assert list(points.values_list("points", flat=True)[:2]) == [7, 8]


def picture(size: tuple[int, int]) -> SimpleUploadedFile:
    file = BytesIO()
    Image.new("RGB", size, "orange").save(file, "PNG")
    return SimpleUploadedFile("picture.png", file.getvalue(), "image/png")


def test_a_picture_that_somebody_replaced_meanwhile_is_a_conflict(people, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    save_image(name="image", alt="alt", content=picture((6, 4)).read())
    image = LessonImage.objects.get()
    people["owner"].is_staff = people["owner"].is_superuser = True
    people["owner"].save()
    path = reverse("admin:lessons_lessonimage_change", args=[image.pk])
    first, second, third = (
        opened_by(people[name], path) for name in ("administrator", "owner", "owner")
    )
    assert first(file=picture((8, 8))).status_code == 302
    assert "Not changed here" in second(alt="Mine").text
    assert second().status_code == 302
    image.refresh_from_db()
    assert (image.alt, image.width) == ("Mine", 8)
    assert "Changed here too" in third(file=picture((2, 2))).text


@pytest.mark.service
@pytest.mark.django_db(transaction=True)
def test_of_two_saves_in_the_same_moment_one_is_a_conflict(people):
    people["owner"].is_staff = people["owner"].is_superuser = True
    people["owner"].save()
    topic = Topic.objects.create(key="keys", title="Keys")
    path = reverse("admin:quizzes_topic_change", args=[topic.pk])
    both = [opened_by(people[name], path) for name in ("administrator", "owner")]
    with ThreadPoolExecutor() as pool:
        answers = list(pool.map(lambda save: save(title=str(id(save))).status_code, both))
    assert sorted(answers) == [200, 302]
