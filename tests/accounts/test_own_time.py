"""A user's own time zone, in which every page shows the time."""

from datetime import datetime

import pytest
from django.template import Context, Template
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
    ("zone", "message"),
    [
        ("Asia/Tokyo", " JST</time>"),
        ("America/Sao_Paulo", " UTC-03</time>"),
        ("UTC", " UTC</time>"),
    ],
)
def test_the_chosen_zone_is_used_on_every_page_from_then_on(client, ann, zone, message):
    page = client.post(URL, {"time_zone": zone}, follow=True).text
    assert missing_in(page, message, f'data-time-zone="{zone}"') == []
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


def test_a_moment_in_summer_and_one_in_winter():
    template = Template("{% load design %}{% moment when %}")
    summer = datetime(2026, 7, 1, 12)
    with timezone.override("Europe/Vienna"):
        shown = template.render(Context({"when": timezone.make_aware(summer)}))
        other = template.render(Context({"when": timezone.make_aware(summer.replace(month=1))}))
    assert "12:00 CEST</time>" in shown
    assert "12:00 CET</time>" in other


def test_a_page_that_is_the_same_for_everybody_asks_for_nobodys_zone(client, ann):
    assert "Cookie" not in client.get("/robots.txt").headers.get("Vary", "")
