"""A person's name cannot change how another's page reads."""

import re

import pytest

from classes.people.services.people import Change, change_members
from quizzes.models import Ruling
from quizzes.regrades.services import draft_regrade
from quizzes.reports.services import report_item
from tests.classes.people.test_importing import bring
from tests.world import (
    answer_everything,
    make_assignment,
    make_override,
    start_assignment,
    submit_and_mark,
    wrong_fields,
)

pytestmark = pytest.mark.django_db
# Written from right to left: digits and signs beside it would change places.
NAME = "מלורי 100%"
PLAIN = {"title", "option", "textarea"}  # these contain text only


def elements_with_the_name(html):
    """Return the tag before each mention of the name in a text."""
    return re.findall(rf"<(/?\w+)[^>]*>[^<]*{NAME}", html)


@pytest.fixture
def mallory(course, access, quiz, add_member):
    """The membership of somebody with this name, about whom every page has something to show."""
    found = add_member("Mallory", section="A")
    found.user.name = NAME
    found.user.save()
    assignment = make_assignment(course, quiz)
    attempt = start_assignment(assignment, found.user)
    answer_everything(attempt, wrong_fields)
    submit_and_mark(attempt)
    running = start_assignment(assignment, found.user)
    item = attempt.items.first()
    item.attempt = attempt
    report_item(item=item, sentence="This is odd.")
    change_members(access=access, keys=[found.pk], change=Change(section="B"))
    made, _changed = make_override(access, assignment, found, more_minutes=5)
    regrade = Ruling(quiz=quiz, sitting=assignment.sitting, kind="void", event_scope=course.scope)
    regrade.reason = "Odd."
    names = ("member", "assignment", "attempt", "running", "override", "regrade")
    rows = (found, assignment, attempt, running, made, draft_regrade(regrade=regrade))
    return {name: row.pk for name, row in zip(names, rows, strict=True)}


PAGES = [
    *("people/", "people/change/?member={member}", "people/remove/?member={member}"),
    *("history/", "history/?member={member}", "gradebook/", "reports/"),
    *("quizzes/{assignment}/watch/", "quizzes/{assignment}/extend/?member={member}"),
    *(
        "quizzes/{assignment}/reopen/?member={member}",
        "quizzes/{assignment}/hand-in/?member={member}",
    ),
    *("quizzes/{assignment}/gradebook/", "quizzes/{assignment}/for/{member}/"),
    *("attempts/{attempt}/", "attempts/{running}/"),
    *("exceptions/", "exceptions/{override}/", "exceptions/{override}/end/"),
    *("rulings/", "rulings/{regrade}/"),
]
WITHOUT_NAMES = ("rulings/",)


def test_a_name_keeps_its_direction_to_itself(ines_client, course, mallory, subtests):
    for path in PAGES:
        with subtests.test(path=path):
            answer = ines_client.get(f"/teach/{course.pk}/{path.format(**mallory)}")
            assert answer.status_code == 200
            found = set(elements_with_the_name(answer.text))
            assert found or path in WITHOUT_NAMES
            assert found <= {"bdi", *PLAIN}


def test_a_name_in_the_preview_of_a_list_keeps_its_direction_to_itself(
    ines_client, course, mallory
):
    for address in ("mallory@example.org", "a@x.org"):
        page = bring(ines_client, course, f"Email\n{address}\n")
        assert elements_with_the_name(page.text) == ["bdi"]
