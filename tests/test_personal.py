"""Every model that refers to a person is in the person's file and deletion."""

from django.apps import apps
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser

from accounts.personal import is_project_model
from foundation.personal_data import registered_personal_data


def referring(models) -> set[str]:
    """Return every field of these models that refers to a person, as app.Model.field."""
    return {
        f"{model._meta.label}.{field.name}"
        for model in models
        for field in model._meta.get_fields(include_hidden=True)
        # Many-to-many from the person's side: roles and permissions, which forget() clears.
        if field.concrete and field.related_model is get_user_model()
    }


OURS = [model for model in apps.get_models(include_auto_created=True) if is_project_model(model)]
REFERRING = sorted(
    field for field in referring(OURS) if not field.startswith(("accounts.User_", "accounts.User."))
)


def test_there_is_something_to_look_at():
    some = {"quizzes.Attempt.student", "lessons.Reading.student", "classes.Membership.user"}
    assert some <= set(REFERRING)
    assert not any(field.startswith("account.") for field in REFERRING)


def test_what_refers_to_a_person_is_handed_out():
    handed_out = {field for holding in registered_personal_data() for field in holding.handed_out}
    assert set(REFERRING) <= handed_out


def test_what_refers_to_a_person_is_deleted_with_them_or_kept_for_a_reason():
    settled = {
        field
        for holding in registered_personal_data()
        for field in (*holding.forgotten, *holding.kept)
    }
    assert set(REFERRING) <= settled


LIBRARIES = [model for model in apps.get_models() if not is_project_model(model)]


def test_rows_of_libraries_that_refer_to_a_person_are_known_here():
    """`accounts/personal.py` deletes all of it, and exports what is no secret."""
    assert referring(LIBRARIES) == {
        "account.EmailAddress.user",
        "admin.LogEntry.user",
        "mfa.Authenticator.user",
        "usersessions.UserSession.user",
    }


def test_what_is_registered_exists():
    registered = set().union(
        *(each.handed_out | each.forgotten | {*each.kept} for each in registered_personal_data())
    )
    assert registered == set(REFERRING)


def test_a_new_model_would_be_found():
    from django.db import models

    class Diary(models.Model):
        writer = models.OneToOneField(get_user_model(), models.CASCADE, related_name="+")

        class Meta:
            app_label = "lessons"

        def __str__(self):
            return ""

    try:
        assert referring([Diary]) == {"lessons.Diary.writer"}
        assert is_project_model(Diary)
        assert issubclass(get_user_model(), AbstractBaseUser)
    finally:
        del apps.all_models["lessons"]["diary"]
        apps.clear_cache()
