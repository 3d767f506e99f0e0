"""Messages in the admin: reading what was sent, and sending again what failed."""

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.urls import reverse, reverse_lazy

from outbox.models import Message
from tests.world import admin_rows, make_user, missing_in, refresh

from .tested_kinds import NEWS

pytestmark = pytest.mark.django_db
LIST = reverse_lazy("admin:outbox_message_changelist")
State = Message.State


def message(to, **more):
    return Message.objects.create(to=to, kind=NEWS, payload={"course": "x"}, **more)


def test_messages_are_found_by_their_people_states_and_kinds(root_client, ada):
    sam = make_user("Sam")
    failed = message(ada, state=State.FAILED)
    sent = message(sam, state=State.SENT)
    assert admin_rows(root_client, LIST) == [sent, failed]
    assert admin_rows(root_client, LIST, q="ADA") == [failed]
    assert admin_rows(root_client, LIST, q="nobody") == []
    assert admin_rows(root_client, LIST, state__exact="sent") == [sent]
    assert admin_rows(root_client, LIST, kind=NEWS) == [sent, failed]


def test_what_was_sent_is_read_as_it_was(root_client, ada):
    sent = message(ada, state=State.SENT, subject="News of x", text="Hello,\n<b>x</b>", key="k:1")
    page = root_client.get(reverse("admin:outbox_message_change", args=[sent.pk])).text
    assert missing_in(page, "News of x", "&lt;b&gt;x&lt;/b&gt;") == []
    assert 'name="_save"' not in page


@pytest.mark.parametrize(
    ("action", "after"), [("send_again", State.WAITING), ("drop", State.DROPPED)]
)
def test_what_failed_is_sent_again_or_dropped(root_client, ada, action, after):
    failed = message(ada, state=State.FAILED, tries=8, trouble="550")
    rows = [failed, message(ada, state=State.SENT), message(ada)]
    root_client.post(LIST, {"action": action, "_selected_action": [row.pk for row in rows]})
    states = Message.objects.order_by("pk").values_list("state", flat=True)
    assert list(states) == [after, State.SENT, after]
    assert not Message.objects.filter(state=State.WAITING, tries=8)


def test_who_may_only_look_sends_nothing(client, ada):
    looker = get_user_model().objects.create_user("look@example.org", is_staff=True)
    looker.user_permissions.add(Permission.objects.get(codename="view_message"))
    client.force_login(looker)
    failed = message(ada, state=State.FAILED)
    client.post(LIST, {"action": "send_again", "_selected_action": [failed.pk]})
    assert refresh(failed).state == State.FAILED
