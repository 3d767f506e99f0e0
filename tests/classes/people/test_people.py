"""The people of a class: searching, changing, removing and restoring them, and who may."""

import re

import pytest

from audit.models import Event
from classes.access.queries import CourseAccess, access_of
from classes.errors import Refused
from classes.models import Label, Membership
from classes.people.queries.people import PeopleChoice, chosen_people
from classes.people.services.people import Change, change_members, remove_members, restore_members
from tests.each import each
from tests.world import make_user, refresh


@pytest.fixture
def roster(add_member):
    """Memberships by name."""
    return {
        "Abe": add_member("Abe", role="assistant", section="A"),
        "Olga": add_member("Olga", role="observer"),
        "Ann": add_member("Ann", section="A"),
        "Bob": add_member("Bob", section="B"),
        "Cyd": add_member("Cyd", section="B", state="removed"),
    }


def names_listed(client, url):
    page = client.get(url)
    assert page.status_code == 200
    _before, _table, rows = page.text.partition("<tbody>")
    return [name for name in ("Abe", "Olga", "Ann", "Bob", "Cyd", "Ines") if f">{name}<" in rows]


def names(access, **wanted):
    return [each.display_name for each in chosen_people(access, PeopleChoice(**wanted))]


def test_the_list_is_sorted_and_filtered(access, roster):
    roster["Bob"].labels.add(Label.objects.create(course=access.course, text="extra time"))
    assert names(access) == ["Abe", "Ann", "Bob", "Ines", "Olga"]
    assert names(access, state="all")[:4] == ["Abe", "Ann", "Bob", "Cyd"]
    assert names(access, state="removed") == ["Cyd"]
    assert names(access, role="student") == ["Ann", "Bob"]
    assert names(access, section="A") == ["Abe", "Ann"]
    assert names(access, section="-") == ["Ines", "Olga"]
    assert names(access, label="extra time") == ["Bob"]
    assert names(access, search="ANN") == ["Ann"]
    assert names(access, search="bob@ex") == ["Bob"]
    assert names(access, order="role")[:2] == ["Abe", "Ines"]
    assert names(access, order="latest")[0] == "Bob"


@each("query", ["role=king", "section=%00", "label=x", "state=?", "order=-1", f"page={'9' * 21}"])
def test_what_a_filter_does_not_know_narrows_nothing(ines_client, course, roster, query):
    url = f"/teach/{course.pk}/people/"
    assert names_listed(ines_client, f"{url}?{query}") == names_listed(ines_client, url)


def test_a_search_for_anything_is_no_trouble(ines_client, course, roster):
    for search in ("%00", "%25", "'", "x" * 5000, "%F0%9F%98%80"):
        assert ines_client.get(f"/teach/{course.pk}/people/?search={search}").status_code == 200


def test_each_filter_is_a_chip_that_leads_to_the_list_without_it(ines_client, course, roster):
    url = f"/teach/{course.pk}/people/"
    page = ines_client.get(f"{url}?section=A&role=student&order=last&page=2").text
    chips = re.findall(r'<li><a href="([^"]*)">(\w+: \w+)', page)
    assert chips == [
        ("?section=A&amp;order=last", "Role: Student"),
        ("?role=student&amp;order=last", "Section: A"),
    ]
    assert 'class="chips"' not in ines_client.get(f"{url}?order=last").text


def test_who_teaches_elsewhere_or_was_removed_has_no_access(roster, course, other_course):
    otto = other_course.memberships.get()
    for user in (make_user("Stranger"), otto.user, roster["Ann"].user, roster["Cyd"].user):
        assert access_of(user, course.pk) is None


def test_members_of_another_class_cannot_be_chosen(ines_client, course, other_course, add_member):
    stranger = add_member("Stranger", of=other_course)
    for deed in ("change", "remove", "take-back"):
        url = f"/teach/{course.pk}/people/{deed}/"
        assert ines_client.get(f"{url}?member={stranger.pk}").status_code == 404
        assert ines_client.post(url, {"member": stranger.pk, "role": "observer"}).status_code == 404
    assert (refresh(stranger).role, stranger.state) == ("student", "active")


@each("keys", [[], ["x"], ["-1"], ["9" * 40], ["1.5"]])
def test_what_is_no_member_chooses_nobody(ines_client, course, keys):
    url = f"/teach/{course.pk}/people/change/"
    assert "Select some people first" in ines_client.post(url, {"member": keys}, follow=True).text


def test_an_assistant_of_one_section_sees_that_section_alone(log_in, roster, course):
    abe = log_in(roster["Abe"].user)
    url = f"/teach/{course.pk}/people/"
    assert names_listed(abe, url) == ["Abe", "Ann"]
    assert names_listed(abe, f"{url}?section=B") == ["Abe", "Ann"]
    assert names_listed(abe, f"{url}?search=Bob") == []
    assert abe.get(f"{url}change/?member={roster['Bob'].pk}").status_code == 404
    assert abe.post(f"{url}remove/", {"member": roster["Bob"].pk}).status_code == 404
    assert abe.get(f"/teach/{course.pk}/history/").status_code == 403
    assert "1 student" in abe.get(url).text
    assert 'name="section"' not in abe.get(url).text


def test_an_assistant_changes_students_and_nobody_else(log_in, roster, access, course):
    abe = CourseAccess(course, roster["Abe"].user, "assistant", "A")
    for change in (Change(role="instructor"), Change(section="B")):
        with pytest.raises(Refused):
            change_members(access=abe, keys=[roster["Ann"].pk], change=change)
    keys = [place.pk for place in roster.values()]
    assert change_members(access=abe, keys=keys, change=Change(add_labels="late")) == 1
    assert [label.text for label in roster["Ann"].labels.all()] == ["late"]
    client, url = log_in(roster["Abe"].user), f"/teach/{course.pk}/people/change/"
    page = client.get(f"/teach/{course.pk}/people/").text
    assert page.count('name="member"') == 1  # not at their own line
    forged = {"member": roster["Ann"].pk, "role": "instructor", "section": "B"}
    client.post(url, {**forged, "new_section": "B", "add_labels": "", "reason": ""})
    assert (refresh(roster["Ann"]).role, roster["Ann"].section) == ("student", "A")


def test_an_assistant_of_one_section_puts_nobody_into_another(roster, course):
    abe = CourseAccess(course, roster["Abe"].user, "assistant", "A")
    for change in (Change(add_labels="b"), Change(take_labels="A")):
        with pytest.raises(Refused):
            change_members(access=abe, keys=[roster["Ann"].pk], change=change)


def test_an_assistant_who_is_no_staff_of_the_site_gets_back_to_the_classes(log_in, roster, course):
    way = '<a href="/teach/"'
    for name, there in (("Abe", True), ("Ann", False)):
        client = log_in(roster[name].user)
        assert (way in client.get(f"/teach/{course.pk}/people/").text) is there, name
        assert way not in client.get("/lessons/", follow=True).text


def test_an_observer_changes_nothing(log_in, roster, course):
    olga = log_in(roster["Olga"].user)
    before = list(Membership.objects.order_by("pk").values())
    page = olga.get(f"/teach/{course.pk}/people/")
    assert page.status_code == 200
    assert 'type="checkbox"' not in page.text
    people = ("change", "remove", "take-back", "add", "import", "preview")
    deeds = ("extend", "reopen", "hand-in", "mark-again", "rules", "release", "withdraw")
    for path in (
        *("joining", "settings", "archive", "reports", "rulings/new"),
        *(f"people/{name}" for name in people),
        *(f"quizzes/1/{deed}" for deed in deeds),
        *("quizzes/give", "exceptions/new", "exceptions/1", "exceptions/1/end"),
    ):
        sent = {"member": roster["Ann"].pk, "code": "new"}
        assert olga.post(f"/teach/{course.pk}/{path}/", sent).status_code == 403, path
    assert list(Membership.objects.order_by("pk").values()) == before


def test_several_are_changed_at_once_and_each_is_remembered(ines_client, roster, course, ines):
    course.labels.create(text="Lab")
    keys = [roster["Ann"].pk, roster["Bob"].pk]
    url = f"/teach/{course.pk}/people/change/"
    assert "Change 2 people" in ines_client.get(url, {"member": keys}).text
    sent = {"new_section": " b ", "add_labels": "lab, extra time", "reason": "New term"}
    ines_client.post(url, {"member": keys, "role": "", "section": "", "take_labels": "", **sent})
    for name in ("Ann", "Bob"):
        assert refresh(roster[name]).section == "B"  # spelt as it was
        assert [label.text for label in roster[name].labels.all()] == ["Lab", "extra time"]
    events = Event.objects.filter(verb="classes.member.changed").order_by("pk")
    assert [event.person for event in events] == [roster["Ann"].user, roster["Bob"].user]
    assert [event.reason for event in events] == ["New term"] * 2
    assert events[0].before == {"section": "A", "labels": []}
    assert events[0].after == {"section": "B", "labels": ["Lab", "extra time"]}


def test_a_new_section_is_not_spelt_as_another_class_spells_it(
    access, roster, add_member, other_course
):
    add_member("Eve", section="lab", of=other_course)
    change_members(access=access, keys=[roster["Ann"].pk], change=Change(section="Lab"))
    assert refresh(roster["Ann"]).section == "Lab"


@each(
    "typed, kept",
    [("\u202elab\u202c", ["lab"]), ("<b>lab\u200f", ["<b>lab"]), ("\u200f", [])]
    + [("\u202e, \u200f", [])],
)
def test_a_label_keeps_no_sign_that_turns_the_text_around(ines_client, roster, course, typed, kept):
    url, ann = f"/teach/{course.pk}/people/change/", roster["Ann"]
    sent = {"member": [ann.pk], "role": "", "section": "", "new_section": "", "take_labels": ""}
    page = ines_client.post(url, sent | {"add_labels": typed, "reason": ""}).text
    assert ("A label needs at least one visible character." in page) == (not kept)
    assert [label.text for label in ann.labels.all()] == kept


def test_labels_are_taken_away_and_a_section_emptied(access, roster):
    ann = [roster["Ann"].pk]
    change_members(access=access, keys=ann, change=Change(add_labels="x, y"))
    change_members(access=access, keys=ann, change=Change(section="", take_labels="X"))
    assert refresh(roster["Ann"]).section == ""
    assert [label.text for label in roster["Ann"].labels.all()] == ["y"]


def test_what_changes_nothing_is_not_remembered(access, roster):
    before = Event.objects.count()
    keys = [roster["Ann"].pk]
    assert change_members(access=access, keys=keys, change=Change(role="student", section="A")) == 0
    assert restore_members(access=access, keys=keys) == 0
    assert Event.objects.count() == before


def test_removing_asks_first_deletes_nothing_and_can_be_taken_back(ines_client, roster, course):
    url, ann = f"/teach/{course.pk}/people/", roster["Ann"]
    page = ines_client.get(f"{url}remove/", {"member": ann.pk})
    assert "Remove 1 person from the class?" in page.text
    assert refresh(ann).state == "active"
    ines_client.post(f"{url}remove/", {"member": ann.pk, "reason": "Moved away"})
    assert refresh(ann).state == "removed"
    assert "Ann" not in names_listed(ines_client, url)
    assert Event.objects.get(verb="classes.member.removed").reason == "Moved away"
    ines_client.get(f"{url}take-back/", {"member": ann.pk})
    ines_client.post(f"{url}take-back/", {"member": ann.pk})
    assert refresh(ann).state == "active"


def test_the_last_instructor_stays(access, roster, ines_client, ines):
    own = Membership.objects.get(user=ines)
    with pytest.raises(Refused):
        remove_members(access=access, keys=[own.pk, roster["Ann"].pk])
    with pytest.raises(Refused):
        change_members(access=access, keys=[own.pk], change=Change(role="observer"))
    assert (refresh(own).role, own.state) == ("instructor", "active")
    assert refresh(roster["Ann"]).state == "active"
    sent = {"member": own.pk, "role": "observer"}
    page = ines_client.post(f"/teach/{access.course.pk}/people/change/", sent)
    assert "at least one instructor" in page.text
    change_members(access=access, keys=[roster["Abe"].pk], change=Change(role="instructor"))
    assert remove_members(access=access, keys=[own.pk]) == 1


def test_an_administrator_may_run_every_class(log_in, roster, course):
    admin = make_user("Ada")
    admin.is_superuser = True
    admin.save()
    client = log_in(admin)
    assert "Attention 101" in client.get("/teach/").text
    assert client.get(f"/teach/{course.pk}/people/").status_code == 200


@pytest.mark.parametrize("people_count", [60, pytest.param(10_000, marks=pytest.mark.slow)])
def test_the_list_takes_as_many_queries_however_many_there_are(
    ines_client, course, people_count, django_assert_max_num_queries, django_user_model
):
    made = django_user_model.objects.bulk_create(
        django_user_model(email=f"{number}@x.org", name=f"Student {number:05}", password="!")
        for number in range(people_count)
    )
    label = course.labels.create(text="late")
    placed = Membership.objects.bulk_create(
        Membership(course=course, user=user, section=f"Section {user.pk % 20}") for user in made
    )
    worn = Membership.labels.through
    worn.objects.bulk_create(worn(membership=place, label=label) for place in placed[::3])
    url = f"/teach/{course.pk}/people/"
    for query in ("", "?search=student 0000", "?section=Section 3&label=late&order=section"):
        with django_assert_max_num_queries(12):
            page = ines_client.get(f"{url}{query}")
        assert page.text.count('name="member"') <= 50
    assert "Student 00000" in ines_client.get(url).text
