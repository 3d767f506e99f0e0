"""A user's own time zone, in which every page shows the time."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from accounts.models import User
from tests.world import missing_in, refresh

pytestmark = pytest.mark.django_db
URL = "/accounts/time-zone/"


def test_without_a_choice_the_sites_zone_is_used(client, ann):
    page = client.get(URL, follow=True).text
    assert missing_in(page, "emails show them in UTC.", " UTC</time>") == []
    assert "data-time-zone" not in page


@pytest.mark.parametrize(
    ("zone", "hours"), [("Asia/Tokyo", 9), ("America/Sao_Paulo", -3), ("UTC", 0)]
)
def test_the_chosen_zone_is_used_on_every_page_from_then_on(client, ann, zone, hours, monkeypatch):
    noon = datetime(2026, 7, 1, 12, tzinfo=UTC)
    client.post(URL, {"time_zone": zone})
    monkeypatch.setattr("accounts.views.timezone.now", lambda: noon)
    page = client.get("/accounts/").text
    assert missing_in(page, f"{12 + hours:02}:00</time>", f'data-time-zone="{zone}"') == []
    assert f'data-time-zone="{zone}"' in client.get("/").text


def test_it_is_nobody_elses(client, ann):
    client.post(URL, {"time_zone": "Asia/Tokyo"})
    client.logout()
    assert "data-time-zone" not in client.get("/").text
    assert timezone.get_current_timezone_name() == "UTC"


@pytest.mark.parametrize("wrong", ["Mars/Olympus", "../../etc/passwd", "\x00", "x" * 999])
def test_what_is_no_zone_is_refused(client, ann, wrong):
    assert "There is a problem" in client.post(URL, {"time_zone": wrong}).text
    assert refresh(ann).time_zone == ""


def test_a_refused_zone_stays_typed_and_the_page_says_what_to_do(client, ann):
    page = client.post(URL, {"time_zone": "Zuerich"}).text
    assert missing_in(page, 'value="Zuerich"', "Type the nearest large city") == []


@pytest.mark.parametrize("typed", ["Europe/Zurich", "zurich", " Zürich "])
def test_a_city_is_found_however_it_is_written(client, ann, typed):
    client.post(URL, {"time_zone": typed})
    assert refresh(ann).time_zone == "Europe/Zurich"


def test_pages_offer_the_zone_of_the_device_until_one_is_chosen(client, ann):
    assert 'class="zone-offer' in client.get("/practice/").text
    sent = {"time_zone": "Asia/Tokyo", "next": "/practice/"}
    assert client.post(URL, sent).url == "/practice/"
    assert refresh(ann).time_zone == "Asia/Tokyo"
    assert 'class="zone-offer' not in client.get("/practice/").text
    client.logout()
    assert 'class="zone-offer' not in client.get("/practice/").text


def test_an_offered_zone_that_there_is_not_is_refused_quietly(client, ann):
    answer = client.post(URL, {"time_zone": "Mars/Olympus", "next": "/practice/"}, follow=True)
    assert refresh(ann).time_zone == ""
    assert missing_in(answer.text, "<h1>Practise</h1>") == []
    assert "Mars" not in answer.text


def test_an_offer_returns_to_no_other_site(client, ann):
    sent = {"time_zone": "Asia/Tokyo", "next": "https://elsewhere.example/"}
    assert client.post(URL, sent).url == "/accounts/#time-zone"


def test_a_zone_that_the_machine_no_longer_knows_is_the_sites(client, ann):
    User.objects.update(time_zone="Europe/Atlantis")
    assert " UTC</time>" in client.get(URL, follow=True).text


def test_a_page_that_is_the_same_for_everybody_asks_for_nobodys_zone(client, ann):
    assert "Cookie" not in client.get("/robots.txt").headers.get("Vary", "")
