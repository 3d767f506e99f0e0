"""Without a mail server requests succeed, and their letters are sent later."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.core.cache import cache

from accounts.models import User
from outbox.models import Message
from outbox.sending import send_waiting
from tests.outbox.conftest import free_port, mailers, run_mail_server
from tests.world import refresh

pytestmark = pytest.mark.django_db

ADA = {"name": "Ada Lovelace", "email": "ada@example.org", "password1": "correct horse"}
WILL_COME = "We’ll send yours as soon as it works again."


@pytest.fixture(autouse=True)
def _no_mail_server(settings):
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.MAILERS = mailers(free_port())


@pytest.fixture
def post_office(settings):
    """The mail server once it is back."""
    cache.clear()
    with run_mail_server(settings) as office:
        yield office


def test_who_signs_up_has_an_account_and_the_letter_comes_later(client, settings, request):
    page = client.post("/accounts/signup/", ADA, follow=True)
    assert page.status_code == 200
    assert WILL_COME in page.text
    assert User.objects.get().name == "Ada Lovelace"
    office = request.getfixturevalue("post_office")
    send_waiting()
    (letter,) = office.taken
    assert letter["To"] == "ada@example.org"
    client.post(re.search(r"https?://[^/]+(/accounts/confirm-email/\S+)", letter.get_content())[1])
    assert EmailAddress.objects.get().verified


def test_signing_up_with_an_address_that_has_an_account_looks_the_same(client, ada):
    page = client.post("/accounts/signup/", ADA, follow=True)
    assert page.status_code == 200
    assert WILL_COME in page.text
    assert Message.objects.get().to == ada


def test_a_new_password_counts_though_its_letter_waits(client, ada):
    client.force_login(ada)
    client.post("/accounts/reauthenticate/", {"password": "correct horse"})
    new = {"oldpassword": "correct horse", "password1": "a new horse", "password2": "a new horse"}
    assert client.post("/accounts/password/change/", new).status_code == 302
    assert refresh(ada).check_password("a new horse")
    assert Message.objects.get().payload["address"] == "ada@example.org"


@pytest.mark.parametrize("email", ["ada@example.org", "nobody@example.org"])
def test_a_link_to_a_new_password_is_not_kept_and_the_page_says_so(client, ada, email):
    answer = client.post("/accounts/password/reset/", {"email": email})
    assert answer.status_code == 503
    assert "We can’t send you an email at the moment" in answer.text
    assert not Message.objects.exists()
