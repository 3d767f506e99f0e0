"""Storage of passwords."""

import pytest
from django.contrib.auth.hashers import make_password

import config.settings
from tests.world import refresh


@pytest.fixture(autouse=True)
def real_hashing(settings):
    settings.PASSWORD_HASHERS = config.settings.PASSWORD_HASHERS


def test_a_password_is_kept_as_argon2id():
    assert make_password("a long secret").startswith("argon2$argon2id$")


@pytest.mark.django_db
def test_one_that_was_kept_otherwise_logs_in_and_is_kept_anew(client, django_user_model):
    user = django_user_model.objects.create_user("ada@example.org")
    user.password = make_password("a long secret", hasher="pbkdf2_sha256")
    user.save()
    user.emailaddress_set.create(email=user.email, verified=True, primary=True)
    form = {"login": user.email, "password": "a long secret"}
    assert client.post("/accounts/login/", form).status_code == 302
    assert refresh(user).password.startswith("argon2$")
