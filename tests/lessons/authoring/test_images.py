"""Uploaded images are checked by their content, and served as that alone."""

from io import BytesIO

import pytest
from PIL import Image

from classes.models import Assignment, Course, Membership
from lessons.authoring.images import inspect_image, strip_metadata
from lessons.authoring.services import remove_image, save_image
from lessons.errors import ContentError
from lessons.models import Lesson, LessonImage
from lessons.pages.queries import lessons_showing
from quizzes.delivery.effective_settings import own_settings
from quizzes.delivery.services.taking import start_attempt
from quizzes.items.skills import Skill
from quizzes.models import ConceptQuestion, Sitting
from quizzes.practice.services import practise_skill
from tests.each import each
from tests.lessons.conftest import make_image
from tests.world import make_instructor_user, make_quiz, make_user

pytestmark = pytest.mark.usefixtures("media_folder")


def lying(size: tuple[int, int]) -> bytes:
    exif = Image.Exif()
    exif[0x0112] = 6
    return make_image("JPEG", size, exif=exif)


def moving() -> bytes:
    file = BytesIO()
    frames = [Image.new("RGB", (2, 2), colour) for colour in ("red", "blue")]
    frames[0].save(file, "PNG", save_all=True, append_images=frames[1:])
    return file.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_what_it_is_is_found_by_looking(kind):
    found = inspect_image(make_image(kind))
    assert (found.format, found.width, found.height) == (kind.lower(), 6, 4)


def test_a_photograph_on_its_side_has_the_size_it_is_shown_in():
    assert (inspect_image(lying((6, 4))).width, inspect_image(lying((6, 4))).height) == (4, 6)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "a PNG, JPEG or WebP"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "a PNG"),
        (b"<!doctype html><script>alert(1)</script>", "a PNG"),
        (make_image("GIF"), "a PNG"),
        (make_image("PNG", (200, 200))[:150], "damaged"),
        (make_image("JPEG", (200, 200))[:-60], "damaged"),
        (make_image("PNG", (4001, 1)), "4001 × 1 pixels"),
        (make_image() + bytes(2 * 1024 * 1024), "larger than 2 MB"),
        (moving(), "animated"),
    ],
    ids=[
        *("empty", "svg", "html", "gif", "cut short", "cut shorter", "too wide", "too large"),
        "moving",
    ],
)
def test_what_a_lesson_cannot_show_is_refused(content, message):
    with pytest.raises(ContentError, match=message):
        inspect_image(content)


def test_its_file_bears_a_name_of_ours(db, media_folder):
    image = save_image(name="cat", alt="A cat", content=make_image())
    assert image.file.name == f"lesson-images/cat-{image.digest[:12]}.png"
    assert (media_folder / image.file.name).read_bytes() == make_image()


@pytest.fixture
def cat(db):
    return save_image(name="cat", alt="A cat", content=make_image("WEBP"))


@pytest.fixture
def pets(cat):
    """A draft that shows the cat."""
    pets = Lesson.objects.create(slug="pets", title="Pets")
    pets.sections.create(slug="first", title="First", body="![A cat](image:cat)")
    return pets


def publish_lesson(pets):
    Lesson.objects.filter(pk=pets.pk).update(published=True)


def get(client, image):
    return client.get(image.get_absolute_url())


def test_it_is_served_as_what_it_is_and_can_run_nothing(client, cat, pets):
    publish_lesson(pets)
    answer = get(client, cat)
    assert b"".join(answer.streaming_content) == make_image("WEBP")
    assert answer["Content-Type"] == "image/webp"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer["Cache-Control"] == "public, max-age=31536000, immutable"


def test_what_drafts_alone_show_is_not_there_for_readers(client, cat, pets):
    assert get(client, cat).status_code == 404
    client.force_login(make_user("Sam"))
    assert get(client, cat).status_code == 404


def test_authors_see_what_drafts_show_and_no_cache_keeps_it(client, cat, pets):
    client.force_login(make_instructor_user("Ines"))
    answer = get(client, cat)
    assert (answer.status_code, answer["Cache-Control"]) == (200, "private, no-cache")


@pytest.mark.parametrize("text", ["analogy", "body", "meaning"])
def test_whatever_text_of_a_published_lesson_shows_it_all_see_it(client, cat, pets, text):
    pets.sections.all().delete()
    shown = "Look: ![A cat](image:cat)"
    if text == "body":
        pets.sections.create(slug="second", title="Second", body=shown)
    elif text == "meaning":
        pets.words.create(term="cat", meaning=shown)
    else:
        Lesson.objects.filter(pk=pets.pk).update(**{text: shown})
    assert get(client, cat).status_code == 404
    publish_lesson(pets)
    assert get(client, cat).status_code == 200


@each(
    "body, is_shown",
    [
        ('![A cat](image:cat "Sleeping")', True),
        ("![A cat](<image:cat>)", True),
        ("![A cat][c]\n\n[c]: image:cat", True),
        ("![A cat](image:cat-2)", False),
        ("![A cat](image:cats)", False),
        ("cat", False),
    ],
)
def test_however_it_is_written_it_is_shown_and_no_other(client, cat, pets, body, is_shown):
    pets.sections.update(body=body)
    publish_lesson(pets)
    assert bool(lessons_showing(cat)) == is_shown
    assert get(client, cat).status_code == (200 if is_shown else 404)


def test_a_published_image_costs_one_query(client, cat, pets, django_assert_num_queries):
    publish_lesson(pets)
    with django_assert_num_queries(1):
        get(client, cat)


@pytest.mark.parametrize("place", ["prompt", "explanation", "text", "feedback"])
def test_what_a_published_question_shows_all_see(client, cat, place):
    shown = "![A cat](image:cat)"
    texts = dict.fromkeys(("prompt", "explanation", "text", "feedback"), "Words.") | {place: shown}
    question = ConceptQuestion.objects.create(
        key="q", topic="pets", prompt=texts["prompt"], explanation=texts["explanation"]
    )
    question.choices.create(key="a", text=texts["text"], feedback=texts["feedback"])
    assert get(client, cat).status_code == 404
    ConceptQuestion.objects.update(published=True)
    assert get(client, cat).status_code == 200


def test_what_a_student_was_asked_with_it_stays_as_it_was(client, cat, topic_with_cats):
    sam, ada = make_user("Sam"), make_user("Ada")
    practise_skill(student=sam, skill=Skill("topic", topic_with_cats))
    ConceptQuestion.objects.update(published=False)
    client.force_login(ada)
    assert get(client, cat).status_code == 404
    client.force_login(sam)
    answer = get(client, cat)
    assert (answer.status_code, answer["Cache-Control"]) == (200, "private, no-cache")


def test_what_only_exams_ask_is_shown_to_whoever_was_asked_and_who_teaches_them(
    client, cat, topic_with_cats
):
    ConceptQuestion.objects.update(reserved=True)
    assert get(client, cat).status_code == 404
    sam, ada, tess = make_user("Sam"), make_user("Ada"), make_user("Tess")
    quiz = make_quiz("q", {"topic": topic_with_cats})
    sitting = Sitting.objects.create(quiz=quiz, given_in="A", open_to_all=False)
    for name, who, role in (("A", tess, "assistant"), ("B", ada, "instructor")):
        course = Course.objects.create(title=name, time_zone="UTC")
        Membership.objects.create(course=course, user=who, role=role)
        if name == "A":
            Assignment.objects.create(course=course, sitting=sitting)
    start_attempt(student=sam, quiz=quiz, settings=own_settings(sitting))
    for who, status in ((ada, 404), (sam, 200), (tess, 200)):
        client.force_login(who)
        answer = get(client, cat)
        assert answer.status_code == status
        assert answer.headers.get("Cache-Control") != "public, max-age=31536000, immutable"


@pytest.fixture
def topic_with_cats(db):
    for number in range(3):
        question = ConceptQuestion.objects.create(
            key=f"q{number}", topic="pets", prompt="What is it? ![A cat](image:cat)", published=True
        )
        question.choices.create(key="a", text="A cat", correct=True, feedback="Yes.")
        question.choices.create(key="b", text="A dog", feedback="No.")
    return "pets"


@pytest.mark.parametrize("of", [("dog", None), ("cat", 0), ("cat", 1), ("cat", 12), ("cat", 63)])
def test_an_image_is_at_the_whole_of_its_address_alone(client, cat, pets, of):
    publish_lesson(pets)
    name, letters = of
    digest = cat.digest[:letters] if letters != 0 else "0" * 64
    assert get(client, cat).status_code == 200
    assert client.get(f"/images/{name}/{digest}/").status_code == 404


def test_another_content_has_another_address_and_the_old_file_goes(
    db, media_folder, django_capture_on_commit_callbacks
):
    image = save_image(name="cat", alt="A cat", content=make_image())
    address, file = image.get_absolute_url(), image.file.name
    with django_capture_on_commit_callbacks(execute=True):
        save_image(name="cat", alt="A cat", content=make_image(size=(9, 9)), image=image)
    assert image.get_absolute_url() != address
    assert not (media_folder / file).exists()
    assert (media_folder / image.file.name).exists()


def test_removing_an_image_removes_its_file(db, media_folder, django_capture_on_commit_callbacks):
    image = save_image(name="cat", alt="A cat", content=make_image())
    with django_capture_on_commit_callbacks(execute=True):
        remove_image(image=image)
    assert not LessonImage.objects.exists()
    assert not list(media_folder.rglob("*.png"))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_what_a_camera_noted_is_not_kept_and_how_the_picture_lies_is(kind):
    exif = Image.Exif()
    exif[0x0112], exif[0x010E], exif[0x8825] = 6, "Ada's garden", {1: "N", 2: (50.0, 1.0, 2.0)}
    file = make_image(kind, (8, 4), exif=exif, comment=b"Ada's garden")
    kept = strip_metadata(file)
    with Image.open(BytesIO(kept)) as image:
        assert dict(image.getexif()) == {0x0112: 6}
        assert image.size == (8, 4)
    assert b"garden" in file
    assert b"garden" not in kept
    assert strip_metadata(kept) == kept


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_an_image_without_notes_stays_as_it_is(kind):
    file = make_image(kind, (8, 4))
    assert strip_metadata(file) == file
