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
    assert missing_in(page, "The site&#x27;s (UTC)", " UTC</time>") == []
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


def test_a_zone_that_the_machine_no_longer_knows_is_the_sites(client, ann):
    User.objects.update(time_zone="Europe/Atlantis")
    assert " UTC</time>" in client.get(URL, follow=True).text


def test_a_page_that_is_the_same_for_everybody_asks_for_nobodys_zone(client, ann):
    assert "Cookie" not in client.get("/robots.txt").headers.get("Vary", "")
