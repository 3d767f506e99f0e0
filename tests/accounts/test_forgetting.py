"""Expired sessions are deleted every day."""

from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts.models import User
from accounts.services import delete_expired_sessions
from config.celery import app, settings
from tests.conftest import FormClient

pytestmark = pytest.mark.django_db


def test_what_has_run_out_is_forgotten_and_nothing_else():
    ada = User.objects.create_user("ada@example.org", "correct horse")
    old, new = FormClient(), FormClient()
    for browser in (old, new):
        browser.post("/accounts/login/", {"login": ada.email, "password": "correct horse"})
    ran_out = timezone.now() - timedelta(days=1)
    Session.objects.filter(pk=old.session.session_key).update(expire_date=ran_out)
    delete_expired_sessions()
    assert [each.pk for each in Session.objects.all()] == [new.session.session_key]
    assert [each.session_key for each in UserSession.objects.all()] == [new.session.session_key]


def test_every_task_in_the_schedule_of_beat_exists():
    app.loader.import_default_modules()
    assert {each["task"] for each in settings.beat_schedule.values()} <= set(app.tasks)
