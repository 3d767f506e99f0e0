"""A published problem is met in practice, in lists, in the API and in numbers as it is shared."""

import pytest
from django.test import Client
from django.urls import reverse

from api.services import create_token
from classes.models import Membership
from quizzes.models import WrittenProblem
from tests.access.test_whose_texts import KINDS, READ, every_kind, share_as
from tests.each import undone

pytestmark = pytest.mark.django_db

KEY = "own_doubled"
OPEN_TO_ALL = {"everybody edits", "everybody reads", "the site’s"}


def places(client, headers) -> dict[str, bool]:
    """Return whether the problem is met in each place."""
    skill = f"/practice/family/{KEY}/"
    listed = client.get("/api/v1/families?limit=100", headers=headers).content.decode()
    return {
        "its page": client.get(skill).status_code == 200,
        "its practice": client.post(skill).status_code == 302,
        "skills": KEY in client.get("/practice/").content.decode(),
        "API": client.get(f"/api/v1/families/{KEY}", headers=headers).status_code == 200,
        "list of the API": KEY in listed,
    }


@every_kind
def test_a_problem_is_met_as_far_as_it_is_shared(objects, people, kinds, subtests):
    instructor, other = people["instructor"], people["administrator"]
    Membership.objects.create(
        course_id=objects["course"], user=instructor, role=Membership.Role.INSTRUCTOR
    )
    headers = {}
    for name in ("instructor", "observer"):
        _token, secret = create_token(
            owner=people[name], name="N", scope="read", course=None, days=1
        )
        headers[name] = {"Authorization": f"Bearer {secret}"}
    for kind in kinds:
        with subtests.test(kind), undone():
            share_as(kind, WrittenProblem.objects.get(key=KEY), instructor, other)
            clients = {name: Client() for name in ("instructor", "observer", "student")}
            for name, client in clients.items():
                client.force_login(people[name])
            reads = READ in KINDS[kind]
            met = places(clients["instructor"], headers["instructor"])
            assert met == dict.fromkeys(met, reads)
            numbers = f"{reverse('admin:quizzes_family_variants')}?family={KEY}"
            assert (clients["instructor"].get(numbers).status_code == 200) == reads
            met = places(clients["observer"], headers["observer"])
            assert met == dict.fromkeys(met, kind in OPEN_TO_ALL)
            for client in (clients["student"], Client()):
                met = places(client, headers["observer"])
                assert met == dict.fromkeys(met, kind in OPEN_TO_ALL)
