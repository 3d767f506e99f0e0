"""Drafts of lessons: copied, published, put in order, and shown as students will see them."""

from django.urls import reverse

from lessons.authoring.services import duplicate_lesson, export_lesson, import_lesson
from lessons.models import Lesson, Section
from tests.lessons.conftest import SMALL, save
from tests.world import found_in


def test_a_copy_is_a_draft_with_a_name_of_its_own(desk, small):
    url = reverse("admin:lessons_lesson_duplicate", args=[small.pk])
    desk.get(url)
    assert Lesson.objects.count() == 1  # the link asks; only the button copies
    desk.post(url)
    copy = Lesson.objects.exclude(pk=small.pk).get()
    message = (copy.slug, copy.title, copy.published)
    assert message == ("small-copy1", "Copy of A small lesson", False)
    text = SMALL.replace("slug: small", "slug: small-copy1").replace("A small", "Copy of A small")
    assert export_lesson(lesson=copy) == text.replace("published: true", "published: false")


def test_a_second_copy_has_another_name(small):
    assert duplicate_lesson(lesson=small).slug == "small-copy1"
    assert duplicate_lesson(lesson=small).slug == "small-copy2"


def test_a_lesson_that_is_no_longer_valid_is_not_copied_and_says_why(desk, small):
    Section.objects.filter(slug="one").update(body="::: unfold A\nb")
    url = reverse("admin:lessons_lesson_duplicate", args=[small.pk])
    answer = desk.post(url, follow=True)
    why = "section “First”, line 20: the block that begins with :::"
    assert f"This lesson cannot be copied as it is. {why}" in answer.text
    assert Lesson.objects.count() == 1


def test_lessons_are_published_and_withdrawn_from_the_list(desk, small):
    url = reverse("admin:lessons_lesson_changelist")
    for action, published in [("withdraw", False), ("publish", True)]:
        desk.post(url, {"action": action, "_selected_action": [small.pk]})
        assert Lesson.objects.get().published is published


def test_sections_stand_in_the_order_they_were_dragged_into(desk, small):
    save(desk, small, **{"sections-0-order": "1", "sections-1-order": "0"})
    assert [section.slug for section in small.sections.all()] == ["second-thoughts", "one"]


def test_a_new_section_goes_last(desk, small):
    new = {"title": "New", "slug": "new", "body": "New.", "order": "0"}
    changes = {f"sections-2-{name}": value for name, value in new.items()}
    assert save(desk, small, **changes, **{"sections-TOTAL_FORMS": "3"}).status_code == 302
    assert [section.slug for section in small.sections.all()][-1] == "new"


def test_lessons_are_put_in_order_in_the_list(desk, small):
    other = import_lesson(text=SMALL.replace("slug: small", "slug: other"))
    data = {"form-TOTAL_FORMS": "2", "form-INITIAL_FORMS": "2", "_save": "Save"}
    for number, (pk, order) in enumerate([(other.pk, 0), (small.pk, 1)]):
        data |= {f"form-{number}-id": pk, f"form-{number}-order": order}
    assert desk.post(reverse("admin:lessons_lesson_changelist"), data).status_code == 302
    assert [lesson.slug for lesson in Lesson.objects.all()] == ["other", "small"]


def test_an_author_sees_a_draft_as_a_student_would(desk, small):
    Lesson.objects.update(published=False)
    assert 'class="draft"' in desk.get(small.get_absolute_url()).text
    page = desk.get(f"{small.get_absolute_url()}?as=student").text
    assert "A small lesson" in page
    assert found_in(page, 'class="draft"', ">Admin<") == []
    assert not Lesson.objects.get().published


def test_students_see_no_draft_whatever_they_ask_for(client, small, as_student):
    Lesson.objects.update(published=False)
    assert client.get(f"{small.get_absolute_url()}?as=student").status_code == 404


def test_as_a_student_other_drafts_are_no_neighbours(desk, small):
    import_lesson(text=SMALL.replace("slug: small", "slug: other").replace("published: true\n", ""))
    assert "/lessons/other/" not in desk.get(f"{small.get_absolute_url()}?as=student").text
