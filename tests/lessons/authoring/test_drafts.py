"""Drafts of lessons: copied, published, put in order, and shown as students will see them."""

from django.urls import reverse

from lessons.authoring.services import duplicate_lesson, export_lesson, import_lesson
from lessons.models import Lesson, Section
from tests.lessons.conftest import SMALL, save_in_admin
from tests.world import found_in


def test_a_copy_is_a_draft_with_a_name_of_its_own(author_client, small_lesson):
    url = reverse("admin:lessons_lesson_duplicate", args=[small_lesson.pk])
    author_client.get(url)
    assert Lesson.objects.count() == 1  # the link asks; only the button copies
    author_client.post(url)
    copy = Lesson.objects.exclude(pk=small_lesson.pk).get()
    message = (copy.slug, copy.title, copy.published)
    assert message == ("small-copy1", "Copy of A small lesson", False)
    text = SMALL.replace("slug: small", "slug: small-copy1").replace("A small", "Copy of A small")
    assert export_lesson(lesson=copy) == text.replace("published: true", "published: false")


def test_a_second_copy_has_another_name(small_lesson):
    assert duplicate_lesson(lesson=small_lesson).slug == "small-copy1"
    assert duplicate_lesson(lesson=small_lesson).slug == "small-copy2"


def test_a_lesson_that_is_no_longer_valid_is_not_copied_and_says_why(author_client, small_lesson):
    Section.objects.filter(slug="one").update(body="::: unfold A\nb")
    url = reverse("admin:lessons_lesson_duplicate", args=[small_lesson.pk])
    answer = author_client.post(url, follow=True)
    why = "section “First”, line 20: the block that begins with :::"
    assert f"This lesson can’t be copied as it is. {why}" in answer.text
    assert Lesson.objects.count() == 1


def test_lessons_are_published_and_withdrawn_from_the_list(author_client, small_lesson):
    url = reverse("admin:lessons_lesson_changelist")
    for action, published in [("withdraw", False), ("publish", True)]:
        author_client.post(url, {"action": action, "_selected_action": [small_lesson.pk]})
        assert Lesson.objects.get().published is published


def test_sections_stand_in_the_order_they_were_dragged_into(author_client, small_lesson):
    save_in_admin(author_client, small_lesson, **{"sections-0-order": "1", "sections-1-order": "0"})
    assert [section.slug for section in small_lesson.sections.all()] == ["second-thoughts", "one"]


def test_a_new_section_goes_last(author_client, small_lesson):
    new = {"title": "New", "slug": "new", "body": "New.", "order": "0"}
    changes = {f"sections-2-{name}": value for name, value in new.items()}
    changes["sections-TOTAL_FORMS"] = "3"
    assert save_in_admin(author_client, small_lesson, **changes).status_code == 302
    assert [section.slug for section in small_lesson.sections.all()][-1] == "new"


def test_lessons_are_put_in_order_in_the_list(author_client, small_lesson):
    other = import_lesson(text=SMALL.replace("slug: small", "slug: other"))
    data = {"form-TOTAL_FORMS": "2", "form-INITIAL_FORMS": "2", "_save": "Save"}
    for number, (pk, order) in enumerate([(other.pk, 0), (small_lesson.pk, 1)]):
        data |= {f"form-{number}-id": pk, f"form-{number}-order": order}
    assert author_client.post(reverse("admin:lessons_lesson_changelist"), data).status_code == 302
    assert [lesson.slug for lesson in Lesson.objects.all()] == ["other", "small"]


def test_an_author_sees_a_draft_as_a_student_would(author_client, small_lesson):
    Lesson.objects.update(published=False)
    assert 'class="draft"' in author_client.get(small_lesson.get_absolute_url()).text
    page = author_client.get(f"{small_lesson.get_absolute_url()}?as=student").text
    assert "A small lesson" in page
    assert found_in(page, 'class="draft"', ">Admin<") == []
    assert not Lesson.objects.get().published


def test_students_see_no_draft_whatever_they_ask_for(client, small_lesson, as_student):
    Lesson.objects.update(published=False)
    assert client.get(f"{small_lesson.get_absolute_url()}?as=student").status_code == 404


def test_as_a_student_other_drafts_are_no_neighbours(author_client, small_lesson):
    import_lesson(text=SMALL.replace("slug: small", "slug: other").replace("published: true\n", ""))
    page = author_client.get(f"{small_lesson.get_absolute_url()}?as=student").text
    assert "/lessons/other/" not in page
