"""Users in the admin."""

import pytest

from accounts.models import User
from accounts.roles import INSTRUCTORS
from tests.world import fresh, missing_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(client):
    client.force_login(User.objects.create_superuser("root@example.org", "correct horse"))
    return client


def test_people_are_listed_with_their_role_in_few_queries(admin, django_assert_max_num_queries):
    for number in range(30):
        User.objects.create_user(f"student{number}@example.org", name=f"Student {number}")
    with django_assert_max_num_queries(12):
        page = admin.get("/admin/accounts/user/").text
    assert missing_in(page, "student7@example.org", "Administrator") == []


def test_people_are_found_by_name_and_address(admin):
    User.objects.create_user("ada@example.org", name="Ada Lovelace")
    User.objects.create_user("sam@example.org", name="Sam")
    page = admin.get("/admin/accounts/user/?q=lovelace").text
    assert "ada@example.org" in page
    assert "sam@example.org" not in page


def test_a_person_can_be_added_and_changed(admin):
    response = admin.post(
        "/admin/accounts/user/add/",
        {
            "email": "Ada@Example.org",
            "name": "Ada",
            "usable_password": "true",
            "password1": "correct horse",
            "password2": "correct horse",
        },
    )
    user = User.objects.get(email="ada@example.org")
    assert response.status_code == 302
    assert user.check_password("correct horse")
    assert admin.get(f"/admin/accounts/user/{user.pk}/change/").status_code == 200


def test_a_persons_addresses_stand_on_their_own_page(admin):
    user = User.objects.create_user("ada@example.org")
    user.emailaddress_set.create(email="countess@example.org")
    assert "countess@example.org" in admin.get(f"/admin/accounts/user/{user.pk}/change/").text
    assert admin.get("/admin/account/emailaddress/").status_code == 404


def test_the_same_address_in_other_letters_is_an_error_not_a_crash(admin):
    User.objects.create_user("ada@example.org")
    response = admin.post(
        "/admin/accounts/user/add/",
        {
            "email": "ADA@example.org",
            "usable_password": "true",
            "password1": "correct horse",
            "password2": "correct horse",
        },
    )
    assert response.status_code == 200
    assert "address already exists" in response.text


def test_people_are_made_instructors_by_an_action(admin):
    user = User.objects.create_user("ines@example.org")
    admin.post(
        "/admin/accounts/user/", {"action": "make_instructors", "_selected_action": [user.pk]}
    )
    assert fresh(user).is_staff
    assert user.groups.get().name == INSTRUCTORS
