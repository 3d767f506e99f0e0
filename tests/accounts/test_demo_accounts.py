"""The demo's three logins."""

import re

import pytest
from django.core.management import CommandError, call_command

from accounts.models import User

pytestmark = pytest.mark.django_db


def test_there_is_one_of_each_role_and_they_log_in(settings, client, capsys):
    settings.SOFTMARK_DEMO = True
    call_command("demo_accounts")
    roles = {user.email: (user.is_superuser, user.is_staff) for user in User.objects.all()}
    assert roles == {
        "admin@softmark.example": (True, True),
        "instructor@softmark.example": (False, True),
        "student@softmark.example": (False, False),
    }
    printed = capsys.readouterr().out
    for email in roles:
        assert email in printed
        assert client.login(email=email, password="softmark-demo")


def test_running_again_changes_nothing(settings):
    settings.SOFTMARK_DEMO = True
    call_command("demo_accounts")
    before = list(User.objects.values_list("pk", "password", "name"))
    call_command("demo_accounts")
    assert list(User.objects.values_list("pk", "password", "name")) == before


def test_accounts_with_a_public_password_are_not_made_elsewhere(settings):
    settings.SOFTMARK_DEMO = False
    with pytest.raises(CommandError, match="public password"):
        call_command("demo_accounts")
    assert not User.objects.exists()
    call_command("demo_accounts", force=True)
    assert User.objects.count() == 3


@pytest.mark.parametrize("demo", [True, False])
def test_the_logins_are_shown_in_a_demo_only(settings, client, demo):
    settings.SOFTMARK_DEMO = demo
    page = client.get("/accounts/login/").text
    assert ("softmark-demo" in page) is demo
    assert ("instructor@softmark.example" in page) is demo


def test_one_press_logs_in_as_one_of_them_and_leads_on(settings, client):
    settings.SOFTMARK_DEMO = True
    call_command("demo_accounts")
    page = client.get("/accounts/login/?next=/learning/").text
    for form in page.split("<form")[1:4]:
        fields = dict(re.findall(r'name="(login|password|next)"\s+value="([^"]*)"', form))
        assert client.post("/accounts/login/", fields).url == "/learning/"
        assert client.session["_auth_user_id"] == str(User.objects.get(email=fields["login"]).pk)
        client.logout()
