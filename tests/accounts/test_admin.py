"""Users in the admin."""

import pytest

from accounts.models import User
from accounts.roles import INSTRUCTORS
from tests.world import missing_in, refresh

pytestmark = pytest.mark.django_db
TYPED = dict.fromkeys(("password1", "password2"), "correct horse") | {"usable_password": "true"}


def test_people_are_listed_with_their_role_in_few_queries(
    root_client, django_assert_max_num_queries
):
    for number in range(30):
        User.objects.create_user(f"student{number}@example.org", name=f"Student {number}")
    with django_assert_max_num_queries(12):
        page = root_client.get("/admin/accounts/user/").text
    assert missing_in(page, "student7@example.org", "Administrator") == []


def test_people_are_found_by_name_and_address(root_client):
    User.objects.create_user("ada@example.org", name="Ada Lovelace")
    User.objects.create_user("sam@example.org", name="Sam")
    page = root_client.get("/admin/accounts/user/?q=lovelace").text
    assert "ada@example.org" in page
    assert "sam@example.org" not in page


def test_a_person_can_be_added_and_changed(root_client):
    typed = TYPED | {"email": "Ada@Example.org", "name": "Ada"}
    response = root_client.post("/admin/accounts/user/add/", typed)
    user = User.objects.get(email="ada@example.org")
    assert response.status_code == 302
    assert user.check_password("correct horse")
    assert root_client.get(f"/admin/accounts/user/{user.pk}/change/").status_code == 200


def test_a_persons_addresses_stand_on_their_own_page(root_client):
    user = User.objects.create_user("ada@example.org")
    user.emailaddress_set.create(email="countess@example.org")
    assert "countess@example.org" in root_client.get(f"/admin/accounts/user/{user.pk}/change/").text
    assert root_client.get("/admin/account/emailaddress/").status_code == 404


def test_the_same_address_in_other_letters_is_an_error_not_a_crash(root_client):
    User.objects.create_user("ada@example.org")
    typed = TYPED | {"email": "ADA@example.org"}
    response = root_client.post("/admin/accounts/user/add/", typed)
    assert response.status_code == 200
    assert "address already exists" in response.text


def test_people_are_made_instructors_by_an_action(root_client):
    user = User.objects.create_user("ines@example.org")
    chosen = {"action": "make_instructors", "_selected_action": [user.pk]}
    root_client.post("/admin/accounts/user/", chosen)
    assert refresh(user).is_staff
    assert user.groups.get().name == INSTRUCTORS
