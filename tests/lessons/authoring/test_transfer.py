"""Lessons are exported and imported to the letter; wrong or harmful files are refused."""

import stat
import zipfile
from contextlib import suppress
from io import BytesIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from lessons.authoring import transfer
from lessons.authoring.services import export_lesson, import_lesson, load_lessons, save_image
from lessons.authoring.transfer import export_all, export_one, import_file, unpack
from lessons.errors import ContentError
from lessons.models import Lesson, LessonImage
from tests.each import each
from tests.lessons.conftest import SMALL, make_image
from tests.world import make_user

pytestmark = pytest.mark.usefixtures("media_folder")

ILLUSTRATED = SMALL.replace("slug: small", "slug: illustrated").replace(
    "The formula $x^2$.", 'A picture.\n\n![Our cat](image:cat "Asleep")'
)


@pytest.fixture
def illustrated(small_lesson):
    save_image(name="cat", alt="A cat: asleep", content=make_image("WEBP"))
    return import_lesson(text=ILLUSTRATED)


def zipped(files: dict[str, str | bytes]) -> bytes:
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return content.getvalue()


def test_a_lesson_without_images_is_a_file_of_markdown(small_lesson):
    exported = export_one(lesson=small_lesson)
    assert (exported.name, exported.content.decode()) == ("small.md", SMALL)


def test_a_lesson_comes_back_to_the_letter_with_its_images(illustrated):
    exported = export_one(lesson=illustrated)
    image = LessonImage.objects.get()
    before = (export_lesson(lesson=illustrated), image.digest, image.alt, image.format)
    illustrated.delete()
    image.delete()
    import_file(name=exported.name, content=exported.content, replace=False)
    lesson, image = Lesson.objects.get(slug="illustrated"), LessonImage.objects.get()
    assert (export_lesson(lesson=lesson), image.digest, image.alt, image.format) == before
    assert export_one(lesson=lesson).content == exported.content


def test_all_lessons_come_back_from_a_zip(illustrated):
    exported = export_all(lessons=Lesson.objects.all())
    Lesson.objects.all().delete()
    assert len(import_file(name="x.zip", content=exported.content, replace=False)) == 2
    assert export_all(lessons=Lesson.objects.all()) == exported


def test_what_is_here_is_replaced_only_where_that_is_wanted(small_lesson):
    changed = SMALL.replace("So small.", "Smaller.").encode()
    with pytest.raises(ContentError, match="there’s already a lesson “small”"):
        import_file(name="small.md", content=changed, replace=False)
    import_file(name="small.md", content=changed, replace=True)
    assert Lesson.objects.get().tagline == "Smaller."


def test_another_image_of_the_same_name_is_not_overwritten_unasked(illustrated):
    exported = export_one(lesson=illustrated)
    image = LessonImage.objects.get()
    save_image(name="cat", alt="Mine", content=make_image(size=(9, 9)), image=image)
    illustrated.delete()
    with pytest.raises(ContentError, match="already a different image “cat”"):
        import_file(name="x.zip", content=exported.content, replace=False)
    assert LessonImage.objects.get().alt == "Mine"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("x^2", "\\foo", "small.md, section “Second thoughts”, line 24: the formula"),
        ("second line.", "[x](lesson:no)", "small.md, “today”, line 11: there’s no lesson “no”"),
        ("second line.", "$\\foo$", "small.md, “today”, line 11: the formula"),
        ("A piece of", "A [[no]]", "small.md, “token”, line 15: the lesson’s glossary has no"),
        ("A token,", "![x](image:no)", "small.md, “First”, line 20: there’s no image “no”"),
        (
            *("words:", "families:\n  scale_row: one\n  softmax_rwo: one\nwords:"),
            "small.md, “families”, line 14: there’s no family of problems “softmax_rwo”",
        ),
        ("$x^2$", "$$x$$", "small.md, section “Second thoughts”, line 24: $$ doesn’t begin"),
        ("minutes: 5", "minutes: [5", "small.md, line 7, column 6: this isn’t YAML"),
    ],
)
def test_errors_are_reported_by_file_and_line_and_nothing_is_written(db, old, new, message):
    other = SMALL.replace("slug: small", "slug: other")
    files = {"other.md": other, "small.md": SMALL.replace(old, new)}
    with pytest.raises(ContentError) as error:
        import_file(name="x.zip", content=zipped(files), replace=False)
    assert str(error.value).startswith(message)
    assert not Lesson.objects.exists()


def test_lessons_of_one_zip_may_lead_to_one_another(db):
    to = "[there](lesson:{}#second-thoughts)"
    files = {
        f"{own}.md": SMALL.replace("slug: small", f"slug: {own}").replace("$x^2$", to.format(other))
        for own, other in [("a", "b"), ("b", "a")]
    }
    assert len(import_file(name="x.zip", content=zipped(files), replace=False)) == 2


OUTSIDE = ["../up.md", "/etc/lesson.md", "images/../../x.png", "..\\up.md", "C:x.md", "../x.png"]
NEITHER = ["a/b/c.md", "x.py", "images/deep/x.png", "other/x.png"]


@each(
    "path, message",
    [
        *((path, "points outside it") for path in OUTSIDE),
        *((path, "neither a lesson") for path in NEITHER),
        *((path, "") for path in (".", "", "..", "images/.")),
    ],
)
def test_a_path_that_leads_out_of_the_zip_is_refused(path, message):
    with pytest.raises(ContentError, match=message):
        unpack(zipped({path: "a", "b.md": "b"}))


def test_a_folder_is_packed_as_desktops_do_it():
    packed = zipped(
        {
            "course/small.md": "x",
            "course/images/dot.png": "y",
            "course/.DS_Store": "z",
            "__MACOSX/course/._small.md": "z",
        }
    )
    assert unpack(packed) == {"small.md": b"x", "images/dot.png": b"y"}


def test_any_metadata_in_a_zip_gets_a_sentence():
    good = zipped({"a.md": SMALL, "b.md": SMALL})
    listed = good.rindex(b"PK\x01\x02")
    for place in range(good.index(b"PK\x01\x02"), len(good)):
        for byte in (0, 0xFF):
            broken = good[:place] + bytes([byte]) + good[place + 1 :]
            with suppress(ContentError):
                unpack(broken)
    with pytest.raises(ContentError):
        unpack(good[:listed] + bytes(46) + good[listed + 46 :])


@pytest.mark.parametrize("number", ["0x" + "f" * 5_000, "9" * 5_000], ids=lambda n: n[:5])
def test_a_number_of_thousands_of_digits_is_reported_with_its_line(db, number):
    with pytest.raises(ContentError, match=r"Line 3.*too long"):
        import_lesson(text=f"---\nslug: a\ntitle: {number}\n---\n\n## A\n")


def test_a_link_in_a_zip_is_refused():
    link = zipfile.ZipInfo("small.md")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(ContentError, match="points outside it"):
        unpack(content.getvalue())


def test_a_bomb_is_refused_before_it_unfolds(monkeypatch):
    monkeypatch.setattr(transfer, "MAX_BYTES", 1024 * 1024)
    bomb = zipped({"a.md": bytes(900_000), "b.md": bytes(900_000)})
    assert len(bomb) < 5000
    with pytest.raises(ContentError, match="unpacks to more than 1 MB"):
        unpack(bomb)


def test_a_bomb_that_lies_about_its_size_is_refused():
    bomb = zipped({"a.md": bytes(2_000_000)})
    honest = (2_000_000).to_bytes(4, "little")
    assert honest in bomb
    with pytest.raises(ContentError):
        unpack(bomb.replace(honest, (10).to_bytes(4, "little")))


@pytest.mark.parametrize("content", [b"PK\x03\x04 nothing", b"", b"\xff\xfe", b"---\n"])
def test_whatever_is_uploaded_the_author_gets_a_sentence(db, content):
    with pytest.raises(ContentError):
        import_file(name="x.md", content=content, replace=False)


def test_too_many_files_are_refused():
    with pytest.raises(ContentError, match="more than 200 files"):
        unpack(zipped({f"{number}.md": "" for number in range(201)}))


def test_a_folder_of_lessons_is_loaded_with_its_images(illustrated, tmp_path):
    for path, content in unpack(export_one(lesson=illustrated).content).items():
        (tmp_path / "folder" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "folder" / path).write_bytes(content)
    illustrated.delete()
    LessonImage.objects.all().delete()
    load_lessons(folder=tmp_path / "folder")
    assert LessonImage.objects.get().alt == "A cat: asleep"
    assert [each.outcome for each in load_lessons(folder=tmp_path / "folder")] == ["unchanged"]


def test_the_admin_hands_out_what_it_takes_in(author_client, illustrated):
    answer = author_client.get(reverse("admin:lessons_lesson_export", args=[illustrated.pk]))
    assert answer["Content-Disposition"] == 'attachment; filename="illustrated.zip"'
    Lesson.objects.filter(slug="illustrated").delete()
    file = SimpleUploadedFile("illustrated.zip", answer.content)
    url = reverse("admin:lessons_lesson_import_lessons")
    assert author_client.post(url, {"file": file}).status_code == 302
    assert Lesson.objects.filter(slug="illustrated").exists()


def test_the_admin_shows_what_is_wrong_with_a_file(author_client, small_lesson):
    url = reverse("admin:lessons_lesson_import_lessons")
    wrong = SMALL.replace("x^2", "\\foo").encode()
    answer = author_client.post(
        url, {"file": SimpleUploadedFile("small.md", wrong), "replace": "on"}
    )
    assert answer.status_code == 200
    assert "line 24: the formula" in answer.text


def test_several_leave_as_a_zip_from_the_list(author_client, illustrated):
    chosen = [lesson.pk for lesson in Lesson.objects.all()]
    data = {"action": "export_selected", "_selected_action": chosen}
    answer = author_client.post(reverse("admin:lessons_lesson_changelist"), data)
    assert sorted(unpack(answer.content)) == ["illustrated.md", "images/cat.webp", "small.md"]


@pytest.mark.parametrize("name", ["export", "duplicate", "view_as_student"])
@pytest.mark.parametrize("pk", ["abc", "0", "9" * 40])
def test_an_address_of_no_lesson_is_not_found(author_client, name, pk):
    assert author_client.get(f"/admin/lessons/lesson/{pk}/{name}/").status_code == 404


@pytest.mark.parametrize("name", ["export", "duplicate", "view_as_student"])
def test_it_is_for_authors_alone(client, small_lesson, name):
    client.force_login(make_user("S", is_staff=True))
    url = reverse(f"admin:lessons_lesson_{name}", args=[small_lesson.pk])
    assert client.get(url).status_code == 403
    assert client.post(url).status_code == (403 if name == "duplicate" else 405)
    assert client.get(reverse("admin:lessons_lesson_import_lessons")).status_code == 403
