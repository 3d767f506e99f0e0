"""The account page: its contents, and the changes that are made there."""

import pytest

from tests.world import missing_in, refresh

pytestmark = pytest.mark.django_db
URL = "/accounts/"


def test_the_menu_under_the_name_in_the_header_leads_to_it(client, ann):
    ann.name = "Ann " + "Lee" * 20
    ann.save()
    menu = (f'title="{ann.name}"><span>Ann</span>', f'<a href="{URL}">', "/accounts/logout/")
    assert missing_in(client.get("/").text, *menu) == []


@pytest.mark.parametrize(
    "address",
    [
        *("/accounts/password/change/", "/accounts/email/", "/accounts/two-steps/"),
        *("/accounts/sessions/", "/accounts/data/file/", "/accounts/delete/"),
    ],
)
def test_it_leads_to_all_that_has_a_page_of_its_own(client, ann, address):
    assert f'href="{address}"' in client.get(URL).text


@pytest.mark.parametrize(
    ("address", "section"), [("/accounts/time-zone/", "time-zone"), ("/accounts/data/", "data")]
)
def test_earlier_addresses_lead_to_their_sections(client, ann, address, section):
    assert client.get(address).url == f"{URL}#{section}"
    assert f'id="{section}"' in client.get(URL).text


def test_the_name_is_changed(client, ann):
    page = client.post(URL, {"name": " Ann Lee "}, follow=True).text
    assert "Your name has been changed." in page
    assert refresh(ann).name == "Ann Lee"


@pytest.mark.parametrize("wrong", ["", "   ", "x" * 151, "a\x00b"])
def test_what_is_no_name_is_refused_and_shown_again(client, ann, wrong):
    assert "There is a problem" in client.post(URL, {"name": wrong}).text
    assert refresh(ann).name == "Ann"


def test_a_refused_time_zone_keeps_the_rest_of_the_page(client, ann):
    page = client.post("/accounts/time-zone/", {"time_zone": "Mars/Olympus"}).text
    assert missing_in(page, "There is a problem", 'value="Ann"') == []


def test_a_student_is_told_nothing_of_tokens(client, ann):
    assert "API tokens" not in client.get(URL).text
