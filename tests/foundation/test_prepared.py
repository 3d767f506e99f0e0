"""Prepared queries return what a QuerySet would, sooner and always from the database."""

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, Permission
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.models import Q
from django.db.models.functions import Length
from django.utils import timezone

from foundation.prepared import prepared, rows_where

pytestmark = pytest.mark.django_db


@prepared
def lasting_sessions(now):
    return Session.objects.filter(expire_date__gt=now).order_by("session_key")


@prepared
def members_of(group, active):
    return get_user_model().objects.filter(groups=group, is_active=active).order_by("email")


@prepared
def names_of(email):
    return get_user_model().objects.filter(email=email).values_list("name", flat=True)


@prepared
def users_with_groups(pk):
    return get_user_model().objects.filter(pk=pk).prefetch_related("groups")


@prepared
def among(emails, name):
    found = get_user_model().objects.filter(email__in=emails, name=name)
    return found.order_by("email").values_list("email", flat=True)


@prepared
def keys_among(pks):
    return get_user_model().objects.filter(pk__in=pks).order_by("pk").values_list("pk", flat=True)


@prepared
def names_in_order_of_email(active):
    people = get_user_model().objects.filter(is_active=active)
    return people.distinct().order_by("email").values_list("name")


@prepared
def permissions_to(codename):
    found = Permission.objects.filter(codename=codename).select_related("content_type")
    return found.annotate(letters=Length("codename"))


@prepared
def people_called(email):
    odd = Q(name="") | Q(name="Ada") | Q(name="100 %s o'clock")
    people = get_user_model().objects.filter(odd, email=email, is_active=True)
    return people.values_list("name", flat=True)


def made(email, **fields):
    return get_user_model().objects.create_user(email, **fields)


def test_each_call_fills_in_its_own_values():
    for name in ("Ada", "Bea"):
        made(f"{name}@example.org", name=name)
    assert [names_of("ada@example.org"), names_of("bea@example.org")] == [["Ada"], ["Bea"]]


def test_what_was_written_since_is_there():
    ada = made("ada@example.org", name="Ada")
    assert names_of(ada.email) == ["Ada"]
    ada.name = "Countess"
    ada.save()
    assert names_of(ada.email) == ["Countess"]


def test_rows_are_whole_and_in_order():
    group = Group.objects.create(name="some")
    people = [made(f"{name}@example.org") for name in "cab"]
    group.user_set.set(people)
    made("other@example.org")
    found = members_of(group.pk, True)
    assert [each.email[0] for each in found] == ["a", "b", "c"]
    assert found[0].date_joined == people[1].date_joined
    assert not found[0].get_deferred_fields()
    assert members_of(group.pk, False) == []


def test_what_rows_are_only_sorted_by_is_not_among_them():
    for name in "ba":
        made(f"{name}@example.org", name=f"{name.upper()}.")
    assert names_in_order_of_email(True) == [("A.",), ("B.",)]


def test_rows_bring_what_they_are_read_with(django_assert_num_queries):
    with django_assert_num_queries(1):
        (found,) = permissions_to("add_group")
        assert (found.content_type.model, found.letters) == ("group", len("add_group"))


@pytest.mark.parametrize("name", ["", "Ada", "100 %s o'clock"])
def test_what_a_query_always_says_is_said_as_it_is(name):
    ada = made("ada@example.org", name=name)
    assert people_called(ada.email) == [name]
    get_user_model().objects.update(name="Bea")
    assert people_called(ada.email) == []


def test_sqlite_need_not_plan_again_for_what_is_always_the_same():
    """It would for each bound value that may decide whether a partial index serves."""
    asked = []

    def watch(execute, sql, params, many, context):
        asked.append(params)
        return execute(sql, params, many, context)

    if connection.vendor == "sqlite":
        with connection.execute_wrapper(watch):
            people_called("ada@example.org")
        assert asked == [("100 %s o'clock", "ada@example.org")]


def test_moments_are_compared_as_moments():
    now = timezone.now()
    for key, minutes in (("a", -1), ("b", 1)):
        Session.objects.create(session_key=key, expire_date=now + timedelta(minutes=minutes))
    assert [each.pk for each in lasting_sessions(now)] == ["b"]


def test_a_second_call_asks_once_and_what_belongs_to_it_too(django_assert_num_queries):
    ada = made("ada@example.org")
    ada.groups.add(Group.objects.create(name="some"))
    for _call in range(2):
        with django_assert_num_queries(2):
            (found,) = users_with_groups(ada.pk)
            assert [group.name for group in found.groups.all()] == ["some"]


def test_of_a_row_its_key_is_filled_in():
    ada, group = made("ada@example.org"), Group.objects.create(name="some")
    ada.groups.add(group)
    assert members_of(group, True) == rows_where(get_user_model(), pk=ada) == [ada]


def test_rows_by_their_columns_come_in_the_order_of_their_model():
    for name in "bac":
        made(f"{name}@example.org", name="Ada" if name < "c" else "Bea")
    assert [each.email[0] for each in rows_where(get_user_model(), name="Ada")] == ["a", "b"]
    assert rows_where(get_user_model(), name="Ada", email="c@example.org") == []


def test_a_number_too_big_for_any_column_is_in_no_row():
    assert users_with_groups(2**63) == users_with_groups(-(2**70)) == []


def test_lists_of_any_length_are_filled_in():
    for name in "abc":
        made(f"{name}@example.org", name="Ada")
    assert among(["c@example.org", "a@example.org"], "Ada") == ["a@example.org", "c@example.org"]
    assert among(["b@example.org"], "Ada") == ["b@example.org"]
    assert among(["b@example.org", "a@example.org"], "Bea") == []
    assert keys_among([]) == []
