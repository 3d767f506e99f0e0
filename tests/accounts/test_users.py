"""Users are identified by an email address, in any case."""

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction

from accounts.models import User
from tests.world import refresh

pytestmark = pytest.mark.django_db


def test_the_address_is_kept_in_lower_case():
    user = User.objects.create_user(" Ada@Example.ORG ", "correct horse")
    assert refresh(user).email == "ada@example.org"


def test_an_address_is_found_however_it_is_typed():
    user = User.objects.create_user("ada@example.org")
    assert User.objects.get(email="ADA@example.org") == user
    assert User.objects.get_by_natural_key("Ada@Example.org") == user


def test_the_database_itself_refuses_capitals():
    """Programs that bypass our field are refused too."""
    user = User.objects.create_user("ada@example.org")
    capitals = "UPDATE accounts_user SET email = 'Ada@example.org' WHERE id = %s"
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(capitals, [user.pk])


def test_a_form_shows_that_the_address_is_taken():
    User.objects.create_user("ada@example.org")
    with pytest.raises(ValidationError, match="address already exists"):
        User(email="Ada@Example.org", password="x").full_clean()


def test_an_address_is_needed():
    with pytest.raises(ValueError, match="email address"):
        User.objects.create_user("")


def test_without_a_password_nobody_logs_in():
    assert not User.objects.create_user("ada@example.org").has_usable_password()


def test_a_superuser_may_do_everything():
    user = User.objects.create_superuser("ada@example.org", "correct horse")
    assert user.is_staff
    assert user.is_superuser
    with pytest.raises(ValueError, match="is_superuser=True"):
        User.objects.create_superuser("eve@example.org", "x", is_superuser=False)


@pytest.mark.parametrize(
    ("name", "full", "short"),
    [("Ada King Lovelace", "Ada King Lovelace", "Ada"), ("", "ada@example.org", "ada@example.org")],
)
def test_people_are_addressed_by_their_name(name, full, short):
    user = User(email="ada@example.org", name=name)
    assert str(user) == user.get_full_name() == full
    assert user.get_short_name() == short


def test_the_first_administrator_logs_in_while_no_letter_can_be_sent(client, settings, monkeypatch):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "correct horse")
    call_command("createsuperuser", "--noinput", email="Ada@example.org", verbosity=0)
    sent = {"login": "ada@example.org", "password": "correct horse"}
    answer = client.post("/accounts/login/", sent)
    assert client.session.get("_auth_user_id")
    assert "confirm-email" not in answer["Location"]
