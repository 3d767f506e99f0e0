"""People of a class are found by any spelling of their names, and sorted by first or last name."""

import pytest
from django.contrib.auth import get_user_model

from classes.models import Membership
from classes.people.queries.people import unconfirmed_import
from classes.people.services.importing import apply_import, keep_import, plan_kept_import
from classes.people.services.joining import claim_invitations
from classes.rosters import read_file
from tests.world import make_assignment, make_user, refresh

pytestmark = [pytest.mark.django_db, pytest.mark.service]
LISTED = (("Zimmer, Ada", "z"), ("Adams, Zoe", "a"), ("Berg, Åsa", "b"))
SPANISH = "García Márquez, Gabriel"


def bring(access, *people):
    rows = "".join(f'"{name}",{address}@example.org\n' for name, address in people)
    bring_file(access, f"Student,Email\n{rows}")


def bring_file(access, text):
    keep_import(access=access, lines=read_file(text.encode()), role="student")
    kept = unconfirmed_import(access)
    apply_import(kept=kept, access=access, digest=plan_kept_import(kept).digest)


@pytest.fixture
def crowd(access, course):
    bring(access, *LISTED)
    for name in ("Antonín Dvořák", "Gabriel García Márquez"):
        user = get_user_model().objects.create_user(f"{len(name)}@example.org", None, name=name)
        Membership.objects.create(course=course, user=user)


def names_on(page):
    return [member.display_name for member in page.context["page"]]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("dvorak antonin", "Antonín Dvořák"),
        ("MÁRQUEZ, gabriel", "Gabriel García Márquez"),
        ("z@example", "Ada Zimmer"),
    ],
)
def test_everybody_is_found_in_every_search_of_a_class(
    ines_client, course, crowd, quiz, typed, found
):
    assignment = make_assignment(course, quiz)
    assert names_on(ines_client.get(f"/teach/{course.pk}/people/", {"search": typed})) == [found]
    for url in (
        "gradebook/",
        f"quizzes/{assignment.pk}/watch/",
        f"quizzes/{assignment.pk}/gradebook/",
    ):
        page = ines_client.get(f"/teach/{course.pk}/{url}", {"search": typed}).text
        assert found in page
        assert page.count('scope="row"') == 1


def test_the_order_is_by_first_or_by_last_name(ines_client, course, crowd, quiz):
    assignment = make_assignment(course, quiz)
    first = ["Ada Zimmer", "Antonín Dvořák", "Åsa Berg", "Gabriel García Márquez", "Zoe Adams"]
    last = ["Zoe Adams", "Åsa Berg", "Antonín Dvořák", "Gabriel García Márquez", "Ada Zimmer"]
    for order, wanted in (("", first), ("last", last)):
        listed = {"order": order, "role": "student"}
        assert names_on(ines_client.get(f"/teach/{course.pk}/people/", listed)) == wanted
        for url in (
            *(
                "gradebook/",
                f"quizzes/{assignment.pk}/watch/",
                f"quizzes/{assignment.pk}/gradebook/",
            ),
            *("gradebook/csv/", "gradebook/canvas/", f"quizzes/{assignment.pk}/gradebook/csv/"),
        ):
            answer = ines_client.get(f"/teach/{course.pk}/{url}", {"order": order})
            assert answer.status_code == 200
            content = answer.getvalue().decode() if answer.streaming else answer.text
            places = [content.index(name) for name in wanted]
            assert places == sorted(places), url


def test_the_family_name_of_a_list_goes_to_the_one_who_joins(access, course):
    bring(access, (SPANISH, "g"), ("De Wit, Jo", "jo"))
    assert Membership.objects.get(email="g@example.org").sorts_as == SPANISH
    people = get_user_model().objects
    same = people.create_user("g@example.org", None, name="Gabriel García Márquez")
    other = people.create_user("jo@example.org", None, name="Johanna")
    for user in (same, other):
        user.emailaddress_set.create(email=user.email, verified=True, primary=True)
        assert len(claim_invitations(user=user)) == 1
        user.refresh_from_db()
    assert (same.sorts_as, other.sorts_as) == ("García Márquez, Gabriel", "")
    member = Membership.objects.get(user=same)
    assert (member.sorts_as, member.folded) == ("", "")


def test_a_list_changes_nothing_that_its_owner_has_chosen(access, course):
    user = make_user("Gabriel")
    user.name, user.sorts_as = "Gabriel García Márquez", "Márquez, Gabriel García"
    user.save()
    user.emailaddress_set.create(email=user.email, verified=True, primary=True)
    bring(access, (SPANISH, "gabriel"))
    assert refresh(user).sorts_as == "Márquez, Gabriel García"


def test_columns_of_first_and_last_names_give_the_family_name(access, course):
    bring_file(access, "First name,Surname,Email\nJo,De Wit,jo@example.org\n")
    member = Membership.objects.get(email="jo@example.org")
    assert (member.name, member.sorts_as) == ("Jo De Wit", "De Wit, Jo")


def test_its_owner_says_by_what_a_name_is_sorted(log_in):
    user = make_user("Gabriel")
    client = log_in(user)
    sent = {"name": "Gabriel García Márquez", "sorts_as": "García Márquez, Gabriel"}
    client.post("/accounts/", sent)
    assert (refresh(user).name, user.sorts_as) == tuple(sent.values())
    assert user.sort_key.startswith("garcia marquez\tgabriel")
    assert 'value="García Márquez, Gabriel"' in client.get("/accounts/").text


def test_the_admin_finds_people_alike(admin_client):
    user = get_user_model().objects.create_user("d@example.org", None, name="Antonín Dvořák")
    for typed in ("DVORAK, antonín", "dvořák", "d@example.org"):
        page = admin_client.get("/admin/accounts/user/", {"q": typed})
        assert [each.pk for each in page.context["cl"].result_list] == [user.pk]
