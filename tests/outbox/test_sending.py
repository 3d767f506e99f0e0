"""Due messages are sent once by a real mail server, despite failures of workers and server."""

import re
import sys
from dataclasses import replace
from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from outbox import kinds, sending
from outbox.models import Message
from outbox.notifier import sending_notifier
from outbox.personal import export_personal_data
from outbox.sending import MAX_TRIES, send_waiting
from outbox.services import Note, post, post_all, send_again, set_preference, withdraw
from tests.conftest import environment
from tests.processes import wait_until
from tests.world import Threads, make_user

from .conftest import free_port, mailers
from .tested_kinds import DUE, NEWS, SAFETY

pytestmark = pytest.mark.django_db(transaction=True)
State = Message.State


def states() -> list[str]:
    return list(Message.objects.order_by("pk").values_list("state", flat=True))


def time_passes() -> None:
    """Expire every claim and every pause."""
    Message.objects.exclude(claimed_until=None).update(
        claimed_until=timezone.now() - timedelta(seconds=1)
    )


def news(to, course="Attention", **more):
    post(kind=NEWS, to=to, payload={"course": course}, **more)


def due(to, quiz, **more):
    post(kind=DUE, to=to, payload={"quiz": quiz}, **more)


def write_news_with(**functions):
    kinds.register(replace(kinds.get_kind(NEWS), **functions))


# A letter


def test_a_letter_arrives_in_plain_text_and_can_be_read_afterwards(ada, mail_server):
    news(ada, "Größe & <Sinn>")
    assert send_waiting() is False
    [letter] = mail_server.taken
    assert (letter["Subject"], letter["To"]) == ("News of Größe & <Sinn>", "ada@example.org")
    assert letter["Auto-Submitted"] == "auto-generated"
    assert letter.get_content_type() == "text/plain"
    text = letter.get_content().replace("\r\n", "\n")
    assert "Ada: Größe & <Sinn> has news." in text
    assert "https://learn.example.org/news/" in text
    sent = Message.objects.get()
    assert (sent.state, sent.subject, sent.address) == (State.SENT, letter["Subject"], ada.email)
    assert sent.text.strip() == text.strip()
    assert sent.sent_at


def test_the_link_that_ends_letters_is_not_taken_apart(ada, mail_server):
    """Mail programs read the bytes, and Python folds long headers."""
    news(ada)
    send_waiting()
    [letter] = mail_server.taken
    header = re.search(rb"^List-Unsubscribe: <(\S+)>\r?$", letter.raw, re.M)[1].decode()
    assert header.startswith("https://learn.example.org/letters/off/")
    assert len(header) > 78
    assert header in letter.get_content()
    assert letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"


def test_what_may_not_be_switched_off_has_no_link_for_that(ada, mail_server):
    post(kind=SAFETY, to=ada, payload={"course": "x"})
    send_waiting()
    [letter] = mail_server.taken
    assert "List-Unsubscribe" not in letter
    assert "/letters/off/" not in letter.get_content()


def test_a_subject_of_several_lines_becomes_one(ada, mail_server):
    news(ada, "one\nBcc: eve@example.org\r\ntwo")
    send_waiting()
    [letter] = mail_server.taken
    assert letter["Subject"] == "News of one Bcc: eve@example.org two"
    assert letter["Bcc"] is None


# Posting


@pytest.mark.service
def test_what_is_posted_in_a_transaction_that_fails_is_not_sent(ada, mail_server):
    with transaction.atomic():
        news(ada)
        transaction.set_rollback(True)
    send_waiting()
    assert not mail_server.taken


@pytest.mark.service
def test_what_is_posted_under_a_key_twice_is_sent_once(ada, mail_server):
    news(ada, key="news:1")
    news(ada, key="news:1")
    send_waiting()
    news(ada, key="news:1")
    send_waiting()
    assert len(mail_server.taken) == 1
    news(ada)
    news(ada)
    assert Message.objects.count() == 3


@pytest.mark.service
def test_what_is_withdrawn_is_not_sent_and_may_be_posted_anew(ada, mail_server):
    news(ada, "first", key="news:1")
    assert withdraw(key="news:1")
    news(ada, "second", key="news:1")
    send_waiting()
    assert [letter["Subject"] for letter in mail_server.taken] == ["News of second"]
    assert withdraw(key="news:1") is False
    assert states() == [State.DROPPED, State.SENT]
    assert withdraw(key="") is False


@pytest.mark.service
def test_nothing_is_sent_before_it_is_due(ada, mail_server):
    news(ada, due=timezone.now() + timedelta(hours=1))
    send_waiting()
    assert not mail_server.taken
    Message.objects.update(due=timezone.now())
    send_waiting()
    assert len(mail_server.taken) == 1


@pytest.mark.service
def test_many_letters_in_one_transaction_wake_a_worker_once(ada, monkeypatch):
    rings = []
    monkeypatch.setattr(sending_notifier, "wake", lambda: rings.append(1))
    with transaction.atomic():
        for _ in range(5):
            news(ada)
        with transaction.atomic():
            news(ada)
        assert not rings
    assert rings == [1]
    with transaction.atomic():
        with transaction.atomic():
            news(ada)
            transaction.set_rollback(True)
        news(ada)  # the other message's wake-up was rolled back with it
    assert rings == [1, 1]


@pytest.mark.parametrize(
    ("change", "state"),
    [
        (lambda ada: get_user_model().objects.update(is_active=False), State.DROPPED),
        (lambda ada: write_news_with(current_payloads=lambda messages: {}), State.DROPPED),
        (lambda ada: set_preference(person=ada, kind=NEWS, how="off"), State.OFF),
        (lambda ada: Message.objects.update(tries=MAX_TRIES), State.FAILED),
    ],
    ids=["who cannot log in", "left out by its kind", "switched off", "kills its worker each time"],
)
def test_what_nobody_is_to_get_any_more_is_not_sent(ada, mail_server, change, state):
    news(ada)
    change(ada)
    assert send_waiting() is False
    assert not mail_server.taken
    assert states() == [state]


# Digests and preferences


@pytest.mark.service
def test_several_letters_of_a_digest_become_one(ada, mail_server):
    sam = make_user("Sam")
    for quiz in ("Quiz 1", "Quiz 2", "Quiz 3"):
        due(ada, quiz)
    due(sam, "Quiz 1")
    news(ada)
    send_waiting()
    assert sorted(mail_server.recipients) == [ada.email, ada.email, sam.email]
    [digest] = [letter for letter in mail_server.taken if "updates" in letter["Subject"]]
    assert digest["Subject"] == "Softmark: 3 updates"
    for quiz in ("Quiz 1", "Quiz 2", "Quiz 3"):
        assert f"{quiz} is due tomorrow." in digest.get_content()
    assert set(states()) == {State.SENT}


def test_a_daily_digest_waits_for_the_morning(ada, mail_server):
    set_preference(person=ada, kind=DUE, how="daily")
    due(ada, "Quiz 1")
    due(ada, "Quiz 2")
    send_waiting()
    assert not mail_server.taken
    assert set(states()) == {State.WAITING}
    yesterday = timezone.now() - timedelta(days=1)
    Message.objects.update(claimed_until=None, created=yesterday, due=yesterday)
    send_waiting()
    assert len(mail_server.taken) == 1
    assert not Message.objects.filter(tries__gt=1)


def test_who_wants_letters_at_once_again_gets_those_that_waited(ada, mail_server):
    set_preference(person=ada, kind=DUE, how="daily")
    due(ada, "Quiz 1")
    send_waiting()
    set_preference(person=ada, kind=DUE, how="now")
    send_waiting()
    assert len(mail_server.taken) == 1


# Trouble


def test_a_bad_address_stops_nobody_else(ada, mail_server):
    people = [make_user(f"P{number}") for number in range(5)]
    mail_server.refuse = {people[1].email: "550 no such user", people[2].email: "451 try later"}
    get_user_model().objects.filter(pk=people[3].pk).update(email="no address at all")
    for each in [*people, ada]:
        news(each)
    send_waiting()
    assert sorted(mail_server.recipients) == ["ada@example.org", "p0@example.org", "p4@example.org"]
    refused, later, none = Message.objects.exclude(state=State.SENT).order_by("pk")
    assert (refused.state, later.state, none.state) == (State.FAILED, State.WAITING, State.FAILED)
    assert "550 no such user" in refused.trouble
    assert "451" in later.trouble
    assert later.claimed_until > timezone.now()
    mail_server.refuse = {}
    time_passes()
    send_waiting()
    assert people[2].email in mail_server.recipients


def test_a_letter_that_cannot_be_written_stops_no_other_of_its_digest(ada, mail_server):
    due(ada, "Quiz 1")
    post(kind=DUE, to=ada, payload={"quiz": {"a": 1}})
    Message.objects.filter(payload__quiz__a=1).update(payload={})
    Message.objects.filter(payload={}).update(kind="tests.gone")
    send_waiting()
    assert [letter["Subject"] for letter in mail_server.taken] == ["Quiz 1 is due"]
    gone = Message.objects.get(kind="tests.gone")
    assert "UnknownKind" in gone.trouble
    assert (gone.state, gone.tries) == (State.WAITING, 1)


@pytest.mark.service
def test_it_is_tried_for_a_day_and_then_it_has_failed_and_can_be_sent_again(ada, mail_server):
    mail_server.refuse = {ada.email: "451 try later"}
    news(ada)
    rests = []
    for tried in range(1, MAX_TRIES + 1):
        send_waiting()
        message = Message.objects.get()
        assert message.tries == tried
        if message.claimed_until:
            rests.append(message.claimed_until - timezone.now())
        time_passes()
    assert message.state == State.FAILED
    assert rests == sorted(rests)
    assert timedelta(hours=20) < sum(rests, timedelta()) < timedelta(hours=25)
    send_waiting()
    assert not mail_server.taken
    mail_server.refuse = {}
    assert send_again(messages=Message.objects.all()) == 1
    send_waiting()
    assert len(mail_server.taken) == 1
    assert Message.objects.get().trouble == ""


def test_a_dead_server_loses_nothing_and_is_not_asked_for_each_letter(ada, settings, mail_server):
    settings.MAILERS = mailers(free_port())
    for number in range(60):
        news(ada, f"course {number}")
    send_waiting()
    assert Message.objects.filter(tries__gt=0).count() == 1
    assert set(states()) == {State.WAITING}
    assert send_waiting() is False  # the server is left alone for a minute
    assert Message.objects.filter(tries__gt=0).count() == 1
    settings.MAILERS = mailers(mail_server.port)
    sending.caches["default"].clear()
    time_passes()
    send_waiting()
    assert len(mail_server.taken) == 60
    assert set(states()) == {State.SENT}


def test_a_server_that_hangs_up_in_the_midst_loses_nothing(ada, mail_server):
    async def hang_up(server, session, envelope):
        server.transport.close()

    takes, mail_server.handle_DATA = mail_server.handle_DATA, hang_up
    news(ada)
    send_waiting()
    assert states() == [State.WAITING]
    mail_server.handle_DATA = takes
    time_passes()
    send_waiting()
    assert len(mail_server.taken) == 1


# Workers


def sending_process(group, tmp_path, port):
    with (tmp_path / "sending.log").open("wb") as log:
        return group.popen(
            [sys.executable, "-m", "tests.outbox.tested_kinds"],
            env=environment(
                SOFTMARK_EMAIL_URL=f"smtp://127.0.0.1:{port}?tls=0",
                SOFTMARK_URL="https://learn.example.org",
            ),
            stdout=log,
            stderr=log,
        )


@pytest.mark.slow
@pytest.mark.service
def test_a_worker_killed_in_the_midst_loses_nothing_and_repeats_one_at_most(
    mail_server, group, tmp_path
):
    people = [make_user(f"P{number}") for number in range(40)]
    for each in people:
        news(each)
    mail_server.seconds = 0.02
    process = sending_process(group, tmp_path, mail_server.port)
    wait_until(
        lambda: len(mail_server.taken) >= 10 or process.poll() is not None,
        what=(tmp_path / "sending.log").read_text(),
    )
    process.kill()
    process.wait()
    assert len(mail_server.taken) < 40
    assert State.WAITING in states()
    mail_server.seconds = 0
    # Messages that nobody had begun were not tried.
    assert Message.objects.filter(state=State.WAITING, tries__gt=0).count() <= 1
    time_passes()
    send_waiting()
    assert set(states()) == {State.SENT}
    assert {each.email for each in people} == set(mail_server.recipients)
    assert len(mail_server.taken) <= 41
    # Letters that came twice have the same Message-ID.
    assert len({letter["Message-ID"] for letter in mail_server.taken}) == 40


def another_takes_it():
    time_passes()
    send_waiting()


@pytest.mark.service
@pytest.mark.parametrize(
    ("meanwhile", "sent", "state"),
    [
        (time_passes, 0, State.WAITING),
        (another_takes_it, 1, State.SENT),
        (lambda: withdraw(key="news:1"), 0, State.DROPPED),
    ],
    ids=["ran out", "was taken by another", "withdrawn"],
)
def test_a_claim_that_is_over_is_not_sent_by_who_had_it(ada, mail_server, meanwhile, sent, state):
    news(ada, key="news:1")
    claim = sending._claim_messages(sending._due_messages())
    meanwhile()
    sending._send(claim, until=float("inf"))
    assert (len(mail_server.taken), states()) == (sent, [state])


@pytest.mark.service
def test_two_workers_at_once_send_each_letter_once_and_tear_no_digest(mail_server):
    people = [make_user(f"P{number}") for number in range(30)]
    for quiz in ("Quiz 1", "Quiz 2", "Quiz 3", "Quiz 4"):
        for each in people:
            due(each, quiz)
    with Threads(2) as pool:
        list(pool.map(lambda _worker: send_waiting(seconds=60), range(2)))
    send_waiting()
    assert sorted(mail_server.recipients) == sorted(each.email for each in people)
    assert set(states()) == {State.SENT}
    assert not Message.objects.exclude(tries=1)


# A worker claims fifty at a time.
MANY = 120


@pytest.mark.slow
def test_many_letters_are_sent_each_once_over_few_connections(mail_server):
    people = get_user_model().objects.bulk_create(
        get_user_model()(email=f"p{number}@example.org") for number in range(MANY)
    )
    with transaction.atomic():  # one transaction wakes a worker once
        for each in people:
            news(each)
    assert send_waiting(seconds=300) is False
    assert (len(mail_server.taken), len(set(mail_server.recipients))) == (MANY, MANY)
    assert not Message.objects.exclude(state=State.SENT, tries=F("tries") * 0 + 1)


@pytest.mark.service
def test_when_time_is_up_the_others_are_free_at_once(mail_server):
    for number in range(20):
        news(make_user(f"P{number}"))
    mail_server.seconds = 0.2
    assert send_waiting(seconds=0.5) is True
    waiting = Message.objects.filter(state=State.WAITING)
    assert waiting
    assert not waiting.exclude(claimed_until=None, tries=0)


@pytest.mark.service
def test_a_real_worker_is_woken(worker, ada):
    """The worker does not know the tests' kinds, and records that."""
    news(ada)
    wait_until(lambda: Message.objects.exclude(trouble=""), what="the try")
    assert "UnknownKind: tests.news" in Message.objects.get().trouble


# Many at once, and what can change until it is sent


@pytest.mark.service
def test_what_is_posted_to_many_takes_few_statements_and_is_posted_once(
    ada, mail_server, django_assert_max_num_queries
):
    notes = [Note(to=ada.pk, payload={"course": "x"}, key=f"x:{number}") for number in range(300)]
    with django_assert_max_num_queries(4):
        post_all(kind=NEWS, notes=notes)
    post_all(kind=NEWS, notes=notes)
    assert Message.objects.count() == 300


def test_a_letter_is_written_by_its_kind_when_it_is_sent(ada, mail_server):
    details = {}
    write_news_with(current_payloads=lambda messages: details)
    news(ada, "then")
    details[Message.objects.get().pk] = {"course": "now"}
    send_waiting()
    assert mail_server.taken[0]["Subject"] == "News of now"


def test_a_letter_that_is_premature_waits_and_is_sent_to_nobody(ada, mail_server):
    early = set()
    write_news_with(keys_to_delay=lambda messages: early)
    news(ada)
    early.add(Message.objects.get().pk)
    for _hour in range(2):
        assert send_waiting() is False
        assert states() == [State.WAITING]
        assert export_personal_data(ada)["messages"] == []
        assert Message.objects.get().claimed_until > timezone.now()
        time_passes()
    assert not mail_server.taken
    early.clear()
    send_waiting()
    assert states() == [State.SENT]
    assert len(export_personal_data(ada)["messages"]) == 1


def test_a_kind_that_fails_to_write_keeps_no_other_from_being_sent(ada, mail_server):
    write_news_with(current_payloads=Mock(side_effect=RuntimeError("no idea")))
    news(ada)
    due(ada, "One")
    assert send_waiting() is False
    assert len(mail_server.taken) == 1
    assert states() == [State.WAITING, State.SENT]
    assert "no idea" in Message.objects.get(kind=NEWS).trouble
    for _try in range(MAX_TRIES - 1):
        time_passes()
        send_waiting()
    assert states() == [State.FAILED, State.SENT]
