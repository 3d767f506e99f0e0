"""Users download their data and delete their accounts; an administrator does it for them."""

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.utils import timezone

from accounts.models import User
from accounts.personal import LastAdministrator, forget, forget_idle
from accounts.roles import make_instructor
from accounts.tasks import forget_idle_accounts
from tests.conftest import FormClient
from tests.each import each
from tests.world import missing_in, refresh

pytestmark = pytest.mark.django_db
DATA, FILE, DELETE = "/accounts/data/", "/accounts/data/file/", "/accounts/delete/"
PEOPLE = "/admin/accounts/user/"


@pytest.fixture
def as_ada(client, ada):
    client.force_login(ada)
    return client


def everything_stored():
    """Return every row of every table as text."""
    from django.db import connection

    with connection.cursor() as cursor:
        rows = []
        for table in connection.introspection.table_names():
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            rows += [str(row) for row in cursor.fetchall()]
    return "\n".join(rows)


def test_the_page_leads_to_the_file_and_to_the_farewell(as_ada):
    assert missing_in(as_ada.get(DATA, follow=True).text, FILE, DELETE) == []


def test_the_file_contains_the_account_and_no_secret_and_nobody_else(as_ada, ada, root):
    answer = as_ada.get(FILE)
    data = answer.json()
    assert data["account"]["email"] == "ada@example.org"
    assert data["addresses"] == [{"email": "ada@example.org", "verified": True, "primary": True}]
    assert ada.password not in answer.text
    assert "attachment" in answer["Content-Disposition"]
    assert "no-store" in answer["Cache-Control"]
    assert "root@" not in answer.text


def test_to_go_the_password_is_needed_and_asking_deletes_nothing(as_ada, ada):
    assert "What’s kept" in as_ada.get(DELETE).text
    assert "isn’t your password" in as_ada.post(DELETE, {"password": "wrong horse"}).text
    assert as_ada.post(DELETE, {}).status_code == 200
    assert refresh(ada).is_active


def test_guessing_the_password_is_limited(as_ada, ada):
    for _ in range(10):
        as_ada.post(DELETE, {"password": "guess"})
    assert as_ada.post(DELETE, {"password": "correct horse"}).status_code == 429


def test_who_goes_leaves_neither_name_nor_address(as_ada, ada):
    elsewhere = FormClient()
    elsewhere.force_login(ada)
    page = as_ada.post(DELETE, {"password": "correct horse"}, follow=True).text
    assert "Your account has been deleted" in page
    stored = everything_stored()
    for trace in ("ada@example.org", "Lovelace"):
        assert trace not in stored
    assert not Session.objects.exists()
    assert elsewhere.get(DATA).url.startswith("/accounts/login/")


def test_nobody_logs_in_as_who_has_gone(client, ada):
    forget(user=ada)
    ada.refresh_from_db()
    for login in ("ada@example.org", ada.email):
        client.post("/accounts/login/", {"login": login, "password": "correct horse"})
        assert "_auth_user_id" not in client.session
    assert str(ada) == f"Deleted person {ada.pk}"


def test_the_address_is_free_again(client, ada):
    forget(user=ada)
    form = {"name": "Ada", "email": "ada@example.org", "password1": "correct horse"}
    client.post("/accounts/signup/", form)
    assert User.objects.get(email="ada@example.org").pk != ada.pk


def test_going_twice_changes_nothing(ada):
    forget(user=ada)
    forget(user=ada)
    assert User.objects.count() == 1


def test_an_instructor_who_goes_may_nothing_any_more(ada):
    make_instructor(ada)
    forget(user=ada)
    assert not refresh(ada).is_staff
    assert not ada.groups.exists()


def test_the_last_administrator_stays_and_sees_why(root_client, root):
    with pytest.raises(LastAdministrator):
        forget(user=root)
    assert "last administrator" in root_client.post(DELETE, {"password": "secret"}).text
    assert refresh(root).is_active


def test_an_administrator_hands_out_data(root_client, ada, root):
    chosen = {"action": "hand_out_data", "_selected_action": [ada.pk, root.pk]}
    data = root_client.post(PEOPLE, chosen).json()
    assert {each["account"]["email"] for each in data} == {"ada@example.org", "root@example.org"}


def test_the_admins_delete_leaves_a_row_without_a_name(root_client, ada):
    root_client.post(f"{PEOPLE}{ada.pk}/change/", {"email": "x"})  # may leave an entry in the log
    assert "Kept without a name" in root_client.get(f"{PEOPLE}{ada.pk}/delete/").text
    root_client.post(f"{PEOPLE}{ada.pk}/delete/", {"post": "yes"})
    assert refresh(ada).is_forgotten
    assert not EmailAddress.objects.filter(user=ada).exists()
    [entry] = LogEntry.objects.all()
    assert entry.object_repr == f"Deleted person {ada.pk}"


def test_several_are_deleted_at_once(root_client, ada):
    other = User.objects.create_user("other@example.org", name="Olu")
    chosen = {"action": "delete_selected", "_selected_action": [ada.pk, other.pk], "post": "yes"}
    root_client.post(PEOPLE, chosen)
    assert User.objects.filter(email__endswith="deleted.softmark.invalid").count() == 2


def test_the_last_administrator_is_not_deleted_among_others(root_client, ada, root):
    chosen = {"action": "delete_selected", "_selected_action": [ada.pk, root.pk], "post": "yes"}
    page = root_client.post(PEOPLE, chosen, follow=True).text
    assert "last administrator" in page
    assert "uccessfully" not in page
    assert User.objects.filter(is_active=True).count() == 2


def test_only_an_administrator_deletes_people_or_takes_their_data(client, ada):
    instructor = User.objects.create_user("ines@example.org")
    make_instructor(instructor)
    client.force_login(instructor)
    for action in ("hand_out_data", "delete_selected"):
        chosen = {"action": action, "_selected_action": [ada.pk], "post": "yes"}
        assert client.post(PEOPLE, chosen).status_code == 403
    assert client.post(f"{PEOPLE}{ada.pk}/delete/", {"post": "yes"}).status_code == 403
    assert refresh(ada).is_active


def ago(days):
    return timezone.now() - timedelta(days=days)


def test_nobody_is_forgotten_where_no_days_are_set(ada):
    User.objects.update(date_joined=ago(5000))
    assert forget_idle(days=0) == 0
    forget_idle_accounts()
    assert refresh(ada).is_active


def test_who_was_long_away_is_forgotten_once(ada, settings):
    User.objects.update(last_login=ago(400), date_joined=ago(500))
    settings.KEEP_IDLE_DAYS = 365
    forget_idle_accounts()
    assert refresh(ada).is_forgotten
    assert forget_idle(days=365) == 0


@each(
    "days, seen",
    [
        (365, {"last_login": ago(300), "date_joined": ago(500)}),
        (365, {"last_login": None, "date_joined": ago(300)}),
        (365, {"last_login": ago(400), "is_staff": True}),
        (1, {"last_login": ago(20)}),  # a slip in the days
    ],
)
def test_who_was_here_lately_or_works_here_stays(ada, days, seen):
    User.objects.update(**seen)
    assert forget_idle(days=days) == 0
