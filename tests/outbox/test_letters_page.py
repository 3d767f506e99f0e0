"""A person's choice of letters, on a page or by a link without a login."""

import re

import pytest
from django.urls import reverse

from accounts.personal import export_personal_data, forget
from outbox.models import Message, Preference
from outbox.sending import send_waiting
from outbox.services import post, set_preference
from outbox.unsubscribing import UnsubscribeLink
from tests.conftest import FormClient
from tests.each import each
from tests.world import make_user

from .tested_kinds import DUE, NEWS, SAFETY

pytestmark = pytest.mark.django_db
PAGE = "/letters/"


def chosen(who):
    return dict(Preference.objects.filter(person=who).values_list("kind", "how"))


def link(who, *kinds):
    return UnsubscribeLink.of(who.pk, kinds).address.removeprefix("https://learn.example.org")


def test_the_page_offers_what_each_kind_allows(client, ada):
    client.force_login(ada)
    page = client.get(PAGE).text
    offered = {
        name: re.findall(r'value="(\w+)"', options)
        for name, options in re.findall(r'<select name="([\w.]+)".*?>(.*?)</select>', page, re.S)
    }
    assert offered == {
        "every": ["now", "daily", "off"],
        DUE: ["now", "daily", "off"],
        NEWS: ["now", "off"],
    }
    assert "<h1>Notifications</h1>" in page


def test_a_choice_is_saved_and_shown(client, ada):
    client.force_login(ada)
    client.post(PAGE, {DUE: "daily", NEWS: "now"})
    assert chosen(ada) == {DUE: "daily"}
    assert 'value="daily" selected' in client.get(PAGE).text
    client.post(PAGE, {DUE: "now", NEWS: "off"})
    assert chosen(ada) == {DUE: "now", NEWS: "off"}


def test_one_choice_is_for_every_kind_but_the_exceptions(client, ada):
    client.force_login(ada)
    client.post(PAGE, {"every": "off", DUE: "now", NEWS: ""})
    assert chosen(ada) == {"": "off", DUE: "now"}
    assert "<details open>" in client.get(PAGE).text
    for kind, about in ((DUE, {"quiz": "Softmax"}), (NEWS, {"course": "Attention"})):
        post(kind=kind, to=ada, payload=about)
    send_waiting()
    assert dict(Message.objects.values_list("kind", "state")) == {DUE: "sent", NEWS: "off"}
    client.post(PAGE, {"every": "off", DUE: "", NEWS: ""})
    assert chosen(ada) == {"": "off"}
    assert "<details>" in client.get(PAGE).text


def test_what_cannot_be_switched_off_is_sent_whatever_is_chosen_for_every_kind(ada):
    set_preference(person=ada, kind="", how="off")
    post(kind=SAFETY, to=ada, payload={"course": "Attention"})
    send_waiting()
    assert Message.objects.get().state == "sent"


@each("sent", [{}, {DUE: "never", NEWS: "now"}, {DUE: "now", NEWS: "daily"}])
def test_what_is_no_choice_is_refused(client, ada, sent):
    client.force_login(ada)
    client.post(PAGE, sent)
    assert chosen(ada) == {}


@pytest.mark.parametrize(("kind", "how"), [(SAFETY, "off"), (NEWS, "daily"), (NEWS, "x")])
def test_no_code_chooses_what_a_kind_does_not_allow(ada, kind, how):
    with pytest.raises(ValueError, match=how):
        set_preference(person=ada, kind=kind, how=how)


def test_to_follow_the_link_changes_nothing_and_its_button_ends_the_letters(client, ada):
    address = link(ada, NEWS)
    page = client.get(address).text
    assert "News" in page
    assert "Due tomorrow" not in page
    assert chosen(ada) == {}
    assert "no longer send" in client.post(address).text
    assert chosen(ada) == {NEWS: "off"}
    client.post(address)
    assert chosen(ada) == {NEWS: "off"}


def test_a_mail_program_ends_them_by_one_click_without_cookies_or_token(ada):
    """RFC 8058: a POST, and no redirect."""
    form = "application/x-www-form-urlencoded"
    sent = "List-Unsubscribe=One-Click"
    answer = FormClient().generic("POST", link(ada, NEWS, DUE), sent, content_type=form)
    assert answer.status_code == 200
    assert chosen(ada) == {NEWS: "off", DUE: "off"}


def test_what_may_not_be_switched_off_is_not_by_any_link(client, ada):
    client.post(link(ada, SAFETY, NEWS))
    assert chosen(ada) == {NEWS: "off"}


def test_a_link_is_of_one_person_and_nobody_makes_one_up(client, ada):
    sam = make_user("Sam")
    token = link(ada, NEWS).split("/")[3]
    forged = token.replace(f"{ada.pk}~", f"{sam.pk}~")
    for wrong in (forged, token[:-1], token.replace(NEWS, DUE), "x", f"{sam.pk}~{NEWS}"):
        assert client.post(reverse("outbox:off", args=[wrong])).status_code == 404
    assert not Preference.objects.exists()


def test_links_live_on_when_the_key_changes(client, ada, settings):
    address = link(ada, NEWS)
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another" * 8
    assert client.get(address).status_code == 200


def test_what_was_sent_is_in_a_persons_file_and_goes_with_them(client, ada):
    address = link(ada, NEWS)
    post(kind=NEWS, to=ada, payload={"course": "Attention"})
    set_preference(person=ada, kind=DUE, how="daily")
    exported = export_personal_data(ada)
    assert exported["messages"][0]["payload"] == {"course": "Attention"}
    assert exported["messages_wanted"] == [{"kind": DUE, "how": "daily"}]
    forget(user=ada)
    assert not Message.objects.exists()
    assert not Preference.objects.exists()
    assert client.post(address).status_code == 404
