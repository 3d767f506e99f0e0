"""Real faults are named by the doctor, by readiness and by the metrics."""

import re
import sqlite3
import threading
import time
from contextlib import closing
from io import StringIO
from pathlib import Path

import pytest
from aiosmtpd.controller import Controller
from allauth.mfa.models import Authenticator
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone

from accounts.sealing import seal
from operations import findings, pulse, tasks
from outbox.models import Message
from quizzes.models import WrittenProblem
from scripts.servers import HOST, free_port
from tests.operations.conftest import WITH_TOKEN, make_person, make_submission
from tests.outbox.conftest import mailers, run_mail_server
from tests.processes import wait_until
from tests.quizzes.written.rows import publish_row
from tests.world import missing_in

pytestmark = pytest.mark.usefixtures("token")
EVERYBODY = {"the doctor", "readiness", "the metrics"}


def doctor(printed: StringIO | None = None) -> str:
    """Return what the doctor prints."""
    printed = printed or StringIO()
    with pytest.raises(SystemExit):
        call_command("doctor", stdout=printed)
    return printed.getvalue()


@pytest.fixture
def named_by(clear_findings):
    """Return a function that returns who names a fault of a part; the doctor also advises."""

    def named_by(part, advice):
        clear_findings()
        named = set()
        metrics = Client().get("/metrics", headers=WITH_TOKEN).text
        if f'\nsoftmark_well{{check="{part}"}} 0.0' in metrics:
            named.add("the metrics")
        clear_findings()
        readiness = Client().get("/readyz?strict", headers=WITH_TOKEN)
        found = readiness.json()["checks"].get(part)
        if found and not found["ok"] and readiness.status_code == 503:
            named.add("readiness")
        clear_findings()
        if advice in doctor():
            named.add("the doctor")
        return named

    return named_by


# Settings, stored data and letters


def setting(**values):
    """Return a fault: these settings."""

    def change(settings):
        for name, value in values.items():
            setattr(settings, name, value)

    return change


def second_factor():
    data = {"secret": seal("a secret")}
    return Authenticator.objects.create(user=make_person(), type="totp", data=data)


def another_key(settings):
    second_factor()
    settings.SECRET_KEY = "y" * 64


def another_key_since(settings):
    """Change the secret key, then set up a second factor with the new one."""
    another_key(settings)
    second_factor()


def another_key_for_a_while(settings):
    second_factor()
    key = settings.SECRET_KEY
    settings.SECRET_KEY = "y" * 64
    second_factor()
    settings.SECRET_KEY = key


def no_mail_server(settings):
    settings.MAILERS = mailers(free_port())


def a_migration_is_missing(_settings):
    MigrationRecorder.Migration.objects.filter(app="outbox").latest("pk").delete()


def a_letter_that_failed(_settings):
    Message.objects.create(to=make_person(), kind="tests.news", state="failed", due=timezone.now())


def a_problem_of_another_release(_settings):
    publish_row("x: tenths(2)\ny = 2 * x")
    WrittenProblem.every.update(text="x: nothing of this release\ny = x")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("fault", "part", "advice"),
    [
        (setting(STATIC_ROOT=Path("nowhere")), "static_files", "manage.py collectstatic"),
        (setting(SITE_URL="https://learn.example.com"), "hosts", "correct SOFTMARK_URL"),
        # As without SOFTMARK_URL.
        (setting(ALLOWED_HOSTS=["*"], SITE_URL="https://*"), "hosts", "correct SOFTMARK_URL"),
        (no_mail_server, "mail_server", "manage.py sendtestemail"),
        (another_key, "sealed", "SOFTMARK_OLD_SECRET_KEYS"),
        (another_key_since, "sealed", "SOFTMARK_OLD_SECRET_KEYS"),
        (another_key_for_a_while, "sealed", "SOFTMARK_OLD_SECRET_KEYS"),
        (a_migration_is_missing, "migrations", "manage.py migrate"),
        (a_letter_that_failed, "letters", "under Messages"),
        (a_problem_of_another_release, "problems", "Go back to the release"),
        (lambda _settings: make_submission(), "queue", "Start workers, or more of them"),
        (lambda _settings: make_submission("attention"), "attention", "under Submissions"),
    ],
)
def test_it_is_named_everywhere(settings, tmp_path, no_broker, named_by, fault, part, advice):
    settings.DEBUG = False
    settings.STATIC_ROOT = tmp_path
    (tmp_path / "staticfiles.json").write_text("{}")
    settings.ALLOWED_HOSTS = ["learn.example.org", "testserver"]
    settings.SITE_URL = "https://learn.example.org"
    assert named_by(part, advice) == set()
    fault(settings)
    assert named_by(part, advice) == EVERYBODY
    assert Client().get("/readyz").status_code == 200


@pytest.mark.django_db
def test_a_host_name_that_visitors_are_refused_by_is_named(settings, no_worker, named_by):
    settings.ALLOWED_HOSTS = ["learn.example.com", "testserver"]
    settings.SITE_URL = "https://learn.example.com"  # as with only the other setting
    advice = "add the name to SOFTMARK_ALLOWED_HOSTS"
    for scanner in ("192.0.2.7", "[2001:db8::7]", "a name"):
        Client(headers={"host": scanner}).get("/")
    assert named_by("hosts", advice) == set()
    assert Client(headers={"host": "learn.example.org"}).get("/").status_code == 400
    assert named_by("hosts", advice) == EVERYBODY
    assert "learn.example.org" in doctor()
    settings.ALLOWED_HOSTS.append("learn.example.org")
    assert named_by("hosts", advice) == set()


@pytest.mark.django_db
def test_a_made_up_host_name_is_no_fault_where_visitors_are_let_in(no_worker):
    assert Client().get("/").status_code == 200
    assert Client(headers={"host": "made-up.example.org"}).get("/").status_code == 400
    assert findings.hosts().is_ok


# The mail server


class Refuses:
    async def handle_MAIL(self, server, session, envelope, address, options):  # noqa: N802
        return "550 Who are you?"


@pytest.fixture
def refusing_server():
    controller = Controller(Refuses(), hostname=HOST, port=free_port())
    controller.start()
    yield controller.port
    controller.stop()


@pytest.mark.django_db
def test_a_mail_server_that_refuses_our_sender_is_named(
    settings, no_broker, named_by, refusing_server
):
    settings.MAILERS = mailers(refusing_server)
    assert named_by("mail_server", "manage.py sendtestemail") == EVERYBODY
    assert "it answers 550 to our sender" in doctor()


@pytest.mark.django_db
def test_a_load_balancer_does_not_ask_the_mail_server(settings):
    settings.MAILERS = mailers(free_port())
    assert "mail_server" not in Client().get("/readyz", headers=WITH_TOKEN).json()["checks"]


@pytest.mark.django_db
def test_a_mail_server_that_takes_letters_is_well(settings):
    with run_mail_server(settings) as office:
        assert findings.mail_server().is_ok
        assert not office.taken


# The database


@pytest.fixture
def read_only(transactional_db, tmp_path):
    """Make the site's database refuse writes until the test is over."""
    if connection.vendor != "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("SET default_transaction_read_only = on")
        yield
        with connection.cursor() as cursor:
            cursor.execute("SET default_transaction_read_only = off")
        return
    connection.ensure_connection()
    own, original = connection.connection, connection.settings_dict
    with closing(sqlite3.connect(tmp_path / "copy.sqlite3")) as copy:
        own.backup(copy)
        copy.execute("PRAGMA journal_mode = WAL")
        # By its address: testers may be root, whom file permissions do not stop.
        connection.settings_dict = original | {"NAME": f"file:{tmp_path}/copy.sqlite3?mode=ro"}
        connection.connection = None
        yield
        connection.connection.close()
    connection.connection, connection.settings_dict = own, original


@pytest.fixture
def away(transactional_db, tmp_path):
    """Point the connection at a place without a database until the test is over."""
    connection.ensure_connection()
    own, original = connection.connection, connection.settings_dict
    nowhere = {"NAME": tmp_path / "no folder" / "no.sqlite3"}
    if connection.vendor != "sqlite":
        nowhere = {"HOST": HOST, "PORT": str(free_port())}
    connection.settings_dict = original | nowhere
    connection.connection = None
    yield
    connection.connection, connection.settings_dict = own, original


@pytest.mark.service
def test_a_database_that_takes_no_writes_is_named_everywhere(read_only, no_broker, named_by):
    assert named_by("database", "Make it writable") == EVERYBODY
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"status": "unready"})
    assert "\nsoftmark_database_up 1.0" in Client().get("/metrics", headers=WITH_TOKEN).text


@pytest.mark.service
def test_a_database_that_is_away_is_named_everywhere(away, no_broker, named_by):
    assert named_by("database", "Start the database") == EVERYBODY
    assert named_by("queue", "submissions") == set()  # dependent checks are not reported
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"status": "unready"})
    answer = Client().get("/readyz?strict", headers=WITH_TOKEN)
    assert list(answer.json()["checks"]) == ["database"]  # a probe does not wait for the rest
    metrics = Client().get("/metrics", headers=WITH_TOKEN).text
    assert missing_in(metrics, "\nsoftmark_database_up 0.0", "softmark_requests_total") == []


# Clocks


NTP = "set its clock by NTP"


@pytest.mark.service
@pytest.mark.django_db
@pytest.mark.parametrize(("seconds", "expected"), [(300, "300 s behind"), (-300, "300 s ahead")])
def test_a_clock_that_is_off_is_named_everywhere(
    no_worker, named_by, monkeypatch, seconds, expected
):
    assert named_by("clock", NTP) == set()
    right = time.time
    monkeypatch.setattr(time, "time", lambda: right() + seconds)
    assert named_by("clock", NTP) == EVERYBODY
    assert f"the broker's is {expected}" in doctor()
    assert (f"the database's is {expected}" in doctor()) == (connection.vendor == "postgresql")


@pytest.mark.django_db
def test_a_workers_clock_that_is_off_is_named_everywhere(no_worker, named_by, monkeypatch):
    pulse.record_pulse(pulse.BEAT)
    assert named_by("clock", NTP) == set()
    with monkeypatch.context() as there:
        right = time.time
        there.setattr(time, "time", lambda: right() + 300)
        pulse.record_pulse(pulse.BEAT)
    assert named_by("clock", NTP) == EVERYBODY
    assert re.search(r"a worker's is (299|300) s ahead", doctor())
    # Its clock is wrong, not its pulse.
    assert pulse.last_pulse(pulse.BEAT).seconds < pulse.STALE


# The broker, workers and beat


@pytest.mark.django_db
def test_a_broker_that_is_away_is_named_everywhere(no_broker, named_by):
    assert named_by("broker", "Start Redis") == EVERYBODY
    assert named_by("worker", "Start a worker") == set()  # dependent checks are not reported
    assert Client().get("/readyz").status_code == 200


@pytest.fixture
def at_work(empty_broker, worker, monkeypatch):
    """A worker that has just had a message from beat; the doctor waits less than usual for one."""
    monkeypatch.setattr(findings, "SECONDS_FOR_A_WORKER", 2)
    monkeypatch.setattr(findings, "SECONDS_FOR_BEAT", 0.2)
    tasks.beat.delay()
    wait_until(lambda: pulse.last_pulse(pulse.BEAT), what="the pulse")
    yield worker
    worker.thaw()


def let_minutes_pass():
    """Age the last pulse as it would while none comes."""
    with pulse.broker() as client:
        client.expire("softmark:pulse:beat", 3600 - 2 * pulse.STALE)


def beat_goes_on():
    """Send two messages as beat does. A stuck worker took the first one and answers none."""
    for _ in range(2):
        tasks.beat.delay()


@pytest.mark.slow
@pytest.mark.service
@pytest.mark.parametrize("fault", ["freeze", "kill"])
def test_a_worker_that_is_stuck_or_dead_is_named_everywhere_and_not_blamed_on_beat(
    at_work, named_by, fault
):
    assert named_by("worker", "Start a worker") == set()
    getattr(at_work, fault)()
    assert named_by("beat", "Start beat") == set()
    beat_goes_on()
    let_minutes_pass()
    assert named_by("worker", "Start a worker") == EVERYBODY
    assert named_by("beat", "Start beat") == set()
    assert Client().get("/readyz").status_code == 200


@pytest.mark.slow
@pytest.mark.service
def test_a_slow_worker_is_named_and_not_blamed_on_beat(at_work, monkeypatch):
    monkeypatch.setattr(findings, "SECONDS_FOR_A_WORKER", 60)
    monkeypatch.setattr(pulse, "SECONDS", 1)
    let_minutes_pass()
    at_work.freeze()
    beat_goes_on()
    before = pulse.waiting_messages()

    def thaw():
        wait_until(lambda: pulse.waiting_messages() > before, what="the doctor's message")
        time.sleep(1.2)  # makes it slow
        at_work.thaw()

    thawing = threading.Thread(target=thaw)
    thawing.start()
    output = doctor()
    thawing.join()
    assert re.search(r"A worker took \d+ s to respond", output)
    assert "Start more workers" in output
    assert "Start beat" not in output


@pytest.mark.service
def test_a_dead_beat_is_named_everywhere_and_not_blamed_on_workers(at_work, named_by):
    let_minutes_pass()
    assert named_by("beat", "Start beat") == EVERYBODY
    assert named_by("worker", "Start a worker") == set()
    assert Client().get("/readyz").status_code == 200


@pytest.mark.service
def test_a_worker_that_has_just_begun_is_not_blamed_on_beat(at_work, monkeypatch):
    monkeypatch.setattr(findings, "SECONDS_FOR_BEAT", 60)
    let_minutes_pass()
    assert not findings.beat().is_ok
    printed = StringIO()

    def ring():
        wait_until(lambda: "A worker is responding" in printed.getvalue(), what="its answer")
        tasks.beat.delay()

    ringing = threading.Thread(target=ring)
    ringing.start()
    doctor(printed)
    ringing.join()
    assert "Beat is sending its messages" in printed.getvalue()
