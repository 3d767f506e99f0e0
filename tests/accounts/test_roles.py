"""Permissions of instructors: author content, and read students' work."""

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command

from accounts.models import User
from accounts.roles import INSTRUCTORS, make_instructor, sync_instructors

pytestmark = pytest.mark.django_db

ALL = ("add", "change", "delete", "view")
EXACTLY = {
    *(
        f"lessons.{action}_{model}"
        for action in ALL
        for model in ("lesson", "section", "word", "lessonimage")
    ),
    *(
        f"quizzes.{action}_{model}"
        for action in ALL
        for model in ("quiz", "slot", "topic", "conceptquestion", "choice", "writtenproblem")
    ),
    *(
        f"quizzes.view_{model}"
        for model in (
            *("attempt", "item", "submission", "answer", "grade", "variant", "report"),
            "ruling",
        )
    ),
    "quizzes.add_ruling",  # to change marks after the fact
    "quizzes.change_report",  # to answer it
    "quizzes.change_submission",  # to have it marked again; no form changes it
    "classes.add_course",
}


@pytest.fixture
def known_instructor():
    user = User.objects.create_user("ines@example.org", "correct horse")
    make_instructor(user)
    return User.objects.get(pk=user.pk)


def test_an_instructor_has_exactly_the_permissions_to_author(known_instructor):
    assert known_instructor.is_staff
    assert not known_instructor.is_superuser
    assert known_instructor.get_all_permissions() == EXACTLY


def test_a_student_has_no_permissions():
    assert not User.objects.create_user("sam@example.org").get_all_permissions()


def test_migrating_again_takes_back_what_was_added_by_hand(known_instructor):
    group = Group.objects.get(name=INSTRUCTORS)
    # What instructors of an earlier release could do at every quiz goes, too.
    for codename in ("delete_user", "add_extratime", "add_struckout"):
        group.permissions.add(Permission.objects.get(codename=codename))
    group.permissions.remove(Permission.objects.get(codename="add_lesson"))
    call_command("migrate", verbosity=0)
    assert User.objects.get(pk=known_instructor.pk).get_all_permissions() == EXACTLY


def test_a_database_without_the_tables_yet_is_left_alone():
    class Empty:
        def get_model(self, *_):
            raise LookupError

    sync_instructors(apps=Empty())
    assert apps.get_model("auth", "Group").objects.filter(name=INSTRUCTORS).exists()
