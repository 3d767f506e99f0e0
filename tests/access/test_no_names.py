"""An instructor without a class finds no student on any page or by any search."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.contrib.contenttypes.models import ContentType
from django.db import transaction

from quizzes.delivery.services.deadlines import grant_extra_time
from quizzes.marking.services import grade_waiting
from quizzes.models import Attempt, ExtraTime
from quizzes.reports.services import report_item
from tests.access.addresses import addresses_of
from tests.conftest import FormClient

pytestmark = pytest.mark.django_db

LEARNING = ("owner", "student", "stranger")
# Everybody with the address of a certificate reads the name on it.
PUBLIC = "quizzes:certificate-page"
# Requests beyond a page itself: searches, filters, the choices of fields.
ASKED = (
    *("?q=zenobia", "?q=at-home", "?s=zenobia", "?term=zenobia", "?all=", "?state=all"),
    "?state__exact=submitted",
    *(
        f"?app_label=quizzes&model_name={model}&field_name={field}&term=zenobia"
        for model, field in (
            ("extratime", "attempt"),
            ("extratime", "student"),
            ("item", "attempt"),
        )
    ),
)


@pytest.fixture
def named(objects, people):
    """The names and addresses of all students.

    Much is recorded of them: reports, extra time, marks, log entries of an administrator.
    """
    learning = {role: (f"Zenobia {role}", f"{role}-at-home@learners.example") for role in LEARNING}
    for role, (name, email) in learning.items():
        get_user_model().objects.filter(pk=people[role].pk).update(name=name, email=email)
        attempt = Attempt.objects.filter(student=people[role], mode="graded").first()
        if attempt and not attempt.items.filter(reports__isnull=False).exists():
            report_item(item=attempt.items.select_related("attempt").first(), sentence="It is odd.")
        if not ExtraTime.objects.filter(student=people[role]).exists():
            grant_extra_time(granted=ExtraTime(student=people[role], minutes=5))
        LogEntry.objects.create(
            user=people["administrator"],
            content_type=ContentType.objects.get_for_model(ExtraTime),
            object_id="1",
            object_repr=name,
            action_flag=1,
        )
    grade_waiting()
    return [word for each in learning.values() for word in each]


@pytest.mark.slow
def test_an_instructor_without_a_class_finds_no_name_of_a_student_anywhere(objects, people, named):
    client = FormClient(raise_request_exception=False)
    client.force_login(people["instructor"])
    leaked = []
    for address in addresses_of(objects):
        if address.name == PUBLIC:
            continue
        is_list = re.match("/(admin|reports|rulings)/", address.path)
        with_more = is_list and not re.search(r"\d", address.path) and "?" not in address.path
        for more in ("", *(ASKED if with_more else ())):
            for ask in (client.get,) if more else (client.get, client.post):
                with transaction.atomic():
                    answer = ask(address.path + more)
                    transaction.set_rollback(True)
                text = answer.getvalue().decode(errors="replace") + str(answer.headers)
                leaked += [(address.path + more, word) for word in named if word in text]
    assert not leaked, "\n".join(map(str, leaked))
