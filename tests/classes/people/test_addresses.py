"""An address that one may sign up with works in every way into a class, and is never another's."""

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model

from api.services import create_token
from classes.models import Membership, Override
from classes.people.services.joining import claim_invitations
from tests.api.conftest import Program
from tests.classes.people.test_importing import bring, confirm, paste
from tests.classes.test_pasted import csv_of
from tests.conftest import FormClient
from tests.each import each
from tests.world import missing_in, refresh

pytestmark = pytest.mark.django_db
USERS = get_user_model().objects
ODD = ["siobhan.o'brien@example.ie", '"a,b;c"@example.org', "ada@müller.example"]


@pytest.fixture
def signed_up(db):
    """Return a function that creates an account by the form and confirms its address."""

    def sign_up(typed, name="Somebody"):
        sent = {"name": name, "email": typed, "password1": "correct horse"}
        answer = FormClient().post("/accounts/signup/", sent)
        assert answer.status_code == 302, answer.content
        user = USERS.order_by("-pk").first()
        EmailAddress.objects.filter(user=user).update(verified=True)
        return user

    return sign_up


def make_exception(client, course, addresses):
    typed = {"addresses": addresses, "factor": "1.5"}
    return client.post(f"/teach/{course.pk}/exceptions/new/", typed, follow=True)


def members(course):
    return list(Membership.objects.filter(course=course, role="student"))


@each("typed", ODD)
def test_it_is_invited_and_taken_up_by_its_account(ines_client, course, signed_up, typed):
    confirm(ines_client, course, paste(ines_client, course, f"First <{typed}>"))
    [invited] = members(course)
    user = signed_up(typed)
    assert (invited.email, invited.name) == (user.email, "First")
    claim_invitations(user=user)
    assert [member.user for member in members(course)] == [user]


@pytest.mark.parametrize("typed", ODD)
@pytest.mark.parametrize("rows", [(["Email", "Name"],), ()], ids=["heads", "no heads"])
def test_a_file_finds_its_account(ines_client, course, signed_up, typed, rows):
    user = signed_up(typed)
    confirm(ines_client, course, bring(ines_client, course, csv_of(*rows, [typed, "First"])))
    assert [member.user for member in members(course)] == [user]


@each("typed", ODD)
def test_an_exception_and_a_program_find_it(ines_client, course, ines, signed_up, typed):
    user = signed_up(typed)
    found = Membership.objects.create(course=course, user=user)
    Membership.objects.create(course=course, user=signed_up("brien@example.ie"))
    make_exception(ines_client, course, typed)
    assert [override.member for override in Override.objects.all()] == [found]
    _token, secret = create_token(owner=ines, name="Notebook", scope="read", course=None, days=30)
    listed = Program(secret).items(f"classes/{course.pk}/members")
    assert user.email in [each["email"] for each in listed]


def test_an_exception_names_all_that_it_cannot_read(ines_client, course, add_member):
    add_member("Ann")
    wrong = ["o brien@example.org@", "ann@example.org bob@", *(f"n{n}@x.org" for n in range(30))]
    page = make_exception(ines_client, course, "\n".join([*wrong, "ann@example.org"]))
    assert all(each in page.text for each in wrong[:20])
    assert "and 12 more" in page.text
    assert not Override.objects.exists()


def test_the_preview_lists_what_it_cannot_read(ines_client, course):
    page = bring(ines_client, course, b"Bad Line,not-an-address\nAda,ada@x.org,Lab 9\n")
    assert missing_in(page.text, "not-an-address", "Not imported: Lab 9") == []


def test_what_cannot_be_seen_makes_no_other_address(signed_up, ines_client, course):
    user = signed_up("ada@example.org\u200b")
    assert user.email == "ada@example.org"
    confirm(ines_client, course, paste(ines_client, course, "\u202eada@exam\u200bple.org"))
    assert [member.user for member in members(course)] == [user]


def test_nobody_is_called_by_signs_that_cannot_be_seen(log_in, add_member):
    sent = {"name": "\u200b", "email": "eve@example.org", "password1": "correct horse"}
    assert "at least one visible character" in FormClient().post("/accounts/signup/", sent).text
    ann = add_member("Ann").user
    page = log_in(ann).post("/accounts/", {"name": "\u200b"})
    assert "at least one visible character" in page.text
    assert refresh(ann).name == "Ann"


def test_a_name_is_tidied_when_it_is_typed(signed_up, log_in):
    user = signed_up("eve@example.org", name="Mallory \u202eabc  100%")
    assert user.name == "Mallory abc 100%"
    log_in(user).post("/accounts/", {"name": "علی\u200cرضا\u200f"})
    assert refresh(user).name == "علی\u200cرضا"
