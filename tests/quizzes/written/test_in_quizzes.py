"""Written problems in quizzes: chosen, published, asked, rehearsed and marked as any family."""

from math import exp

import pytest
import yaml
from django.contrib.auth.models import Permission
from django.urls import reverse

from lessons.errors import ContentError
from quizzes import problems
from quizzes.authoring.content_files import serialize_quiz
from quizzes.authoring.services.duplicating import duplicate_quiz
from quizzes.authoring.services.loading import load_quizzes
from quizzes.authoring.services.publishing import find_obstacles
from quizzes.authoring.services.quizzes import publish_quiz
from quizzes.authoring.services.slots import take_newest_versions, write_slots
from quizzes.delivery.services.previews import find_empty_slots, start_preview
from quizzes.delivery.services.stocking import stock_levels, stock_variants
from quizzes.delivery.services.taking import start_attempt
from quizzes.errors import NotDrawn, NotOpen
from quizzes.items.queries import draw_unsaved_variant
from quizzes.items.services.withdrawal import withdraw_variant
from quizzes.models import (
    Attempt,
    Quiz,
    Rehearsal,
    Slot,
    StruckOut,
    Variant,
    WrittenProblem,
    WrittenProblemShare,
)
from quizzes.simulation.services import queue_simulation, run_waiting_simulations, simulation_input
from quizzes.written.services.writing import withdraw_version
from sharing.models import Access, new_share
from tests.each import each
from tests.quizzes.regrades.regrade_over import latest
from tests.quizzes.written.rows import SCORES, publish_row
from tests.world import (
    admin_form,
    answer_everything,
    found_in,
    make_instructor_user,
    make_quiz,
    make_user,
    missing_in,
    refresh,
    submit_and_mark,
    visible_text,
)

pytestmark = pytest.mark.django_db

KEY = "own_scores"
FAMILY = {"slots-0-family": KEY, "slots-0-topic": ""}
# Only 81 sets of numbers.
FEW = """title: Few
sizes: T(tokens) = 2, 3
x: integers(T, low=1, high=3)
statement: Double them.
y = 2 * x + 1
    label: The double and one
"""


@pytest.fixture
def quiz(db):
    """A published quiz of one written problem in its first version; a problem of all."""
    publish_row()
    return make_quiz("written", {"family": KEY, "family_version": 1, "points": 2})


@pytest.fixture
def draft(ines):
    """A draft that Ines owns, and the data of its page."""
    made = make_quiz("draft", {"family": "cosine"}, published=False)
    new_share(made, user=ines, access=Access.OWN).save()
    return made


@pytest.fixture
def otto(db):
    return make_instructor_user("Otto")


@pytest.fixture
def publishable(publishable_quiz):
    """A quiz that can be published, and whose second slot asks a written problem."""
    publish_row()
    ask(publishable_quiz, position=2)
    return publishable_quiz


def read_again(quiz):
    return Quiz.objects.get(pk=quiz.pk)


def ask(quiz, *, key=KEY, version=1, position=1, **options):
    asked = {"family": key, "family_version": version, "topic": "", "options": options}
    Slot.objects.filter(quiz=quiz, position=position).update(**asked)


def change(quiz):
    return reverse("admin:quizzes_quiz_change", args=[quiz.pk])


def pools(quiz):
    return reverse("admin:quizzes_quiz_pools", args=[quiz.pk])


def asked_by(quiz, position=1):
    slot = quiz.slots.get(position=position)
    return slot.family, slot.family_version, slot.options


def versions(attempt):
    return [item.variant.version for item in attempt.items.select_related("variant")]


def first_version():
    return WrittenProblem.every.get(key=KEY, version=1)


def second(**more):
    return publish_row(SCORES.replace("scores of one query", "scores again"), version=2, **more)


# Choosing it for a slot


def test_an_author_chooses_their_own_problem_and_the_slot_names_its_newest_version(
    ines_client, ines, draft
):
    publish_row(owner=ines)
    second(owner=ines)
    page = ines_client.get(change(draft))
    assert "Scores of a query (own_scores)" in page.text
    choices = ines_client.get(reverse("admin:quizzes_quiz_choices"))
    assert not missing_in(visible_text(choices.text), "Scores of a query", "6 cells")
    saved = ines_client.post(change(draft), admin_form(page) | FAMILY | {"slots-0-size-tokens": 2})
    assert saved.status_code == 302
    assert asked_by(draft) == (KEY, 2, {"tokens": 2})


def test_a_slot_keeps_its_version_until_its_author_takes_the_newer_one(ines_client, ines, draft):
    publish_row(owner=ines)
    ask(draft)
    second(owner=ines)
    posted = admin_form(ines_client.get(change(draft))) | {"slots-0-points": 3}
    assert ines_client.post(change(draft), posted).status_code == 302
    assert (asked_by(draft), draft.slots.get().points) == ((KEY, 1, {}), 3)
    page = ines_client.get(pools(draft))
    assert not missing_in(visible_text(page.text), "version 1", "Version 2 would be asked")
    said = ines_client.post(pools(draft), follow=True)
    assert "1 slot now asks the newest version of its problem." in said.text
    assert "frozen again" not in visible_text(said.text)
    assert asked_by(draft)[1] == 2


def test_another_family_or_a_topic_names_no_version(ines_client, ines, draft):
    publish_row(owner=ines)
    ask(draft)
    posted = admin_form(ines_client.get(change(draft)))
    for asks in ({"slots-0-family": "cosine"}, FAMILY, {"slots-0-family": "softmax_row"}):
        ines_client.post(change(draft), posted | asks)
        family = asks["slots-0-family"]
        assert asked_by(draft)[:2] == (family, 1 if family == KEY else None)


@each("state", ["private", "draft", "withdrawn", "none"])
def test_what_an_author_must_not_ask_is_neither_offered_nor_taken(
    ines_client, ines, otto, draft, state
):
    if state != "none":
        row = publish_row(owner=otto if state == "private" else ines)
    if state == "draft":
        type(row).every.filter(pk=row.pk).update(published_at=None)
    if state == "withdrawn":
        withdraw_version(problem=row, by=ines)
    page = ines_client.get(change(draft))
    choices = ines_client.get(reverse("admin:quizzes_quiz_choices"))
    assert not found_in(page.text + choices.text, KEY, "Scores of a query")
    refused = ines_client.post(change(draft), admin_form(page) | FAMILY)
    assert refused.status_code == 200
    assert "no longer a family “own_scores”" in refused.text
    # A refusal says as little of another’s problem as of one that isn’t there.
    assert not found_in(refused.text, "Scores of a query", "size-tokens")
    assert asked_by(draft)[0] == "cosine"


@each("access", [Access.READ, Access.EDIT, None])
def test_a_shared_problem_is_offered_to_those_it_is_shared_with(
    ines_client, ines, otto, draft, access
):
    publish_row(owner=otto)
    shared = {"user": ines, "access": access} if access else {"user": None, "access": Access.READ}
    WrittenProblemShare.objects.create(key=KEY, **shared)
    posted = admin_form(ines_client.get(change(draft))) | FAMILY
    assert ines_client.post(change(draft), posted).status_code == 302
    assert asked_by(draft)[:2] == (KEY, 1)


def test_who_edits_a_quiz_without_reading_its_problem_keeps_the_slot_and_adds_none(
    ines_client, otto, draft
):
    publish_row(owner=otto)
    ask(draft, tokens=2)
    page = ines_client.get(change(draft))
    assert "Scores of a query (own_scores)" in page.text  # what the slot asks has a name
    assert f"example/?family={KEY}" not in page.text
    (slot,) = draft.slots.all()
    assert reverse("admin:quizzes_slot_variants", args=[slot.pk]) not in page.text
    form = admin_form(page)
    assert ines_client.post(change(draft), form | {"slots-0-points": 4}).status_code == 302
    assert (asked_by(draft), draft.slots.get().points) == ((KEY, 1, {"tokens": 2}), 4)
    copied = admin_form(ines_client.post(change(draft), form | {"arrange": "duplicate-0"}))
    refused = ines_client.post(change(draft), copied)
    assert (refused.status_code, draft.slots.count()) == (200, 1)
    assert "no longer a family" in refused.text


def test_problems_with_few_numbers_are_said_to_be_for_practice_only(ines_client, ines, draft):
    publish_row(FEW, key="own_few", owner=ines)
    page = ines_client.get(change(draft))
    assert "Few (own_few), for practice only" in page.text
    choices = ines_client.get(reverse("admin:quizzes_quiz_choices"))
    assert "for practice only" in choices.text
    example = ines_client.get(reverse("admin:quizzes_quiz_example"), {"family": "own_few"})
    assert "for practice only" in example.text


# Its examples and variants


@pytest.fixture
def strikers(ines, otto):
    """Two instructors who may withdraw numbers."""
    for person in (ines, otto):
        person.user_permissions.add(*Permission.objects.filter(codename__endswith="_struckout"))


def looks(slot):
    """Return the pages that show a problem: an example, and twenty variants with solutions."""
    family = {"family": KEY}
    kind = f'{KEY}/1/{{"tokens": 3, "width": 4}}'
    return [
        (reverse("admin:quizzes_quiz_example"), family),
        (reverse("admin:quizzes_quiz_example"), family | {"version": "1"}),
        (reverse("admin:quizzes_family_variants"), family),
        (reverse("admin:quizzes_slot_variants", args=[slot.pk]), {}),
        (reverse("admin:quizzes_struckout_add"), {"kind": kind, "seed": "1.1"}),
    ]


def test_only_those_who_may_read_a_problem_look_at_it(client, ines, otto, strikers, draft):
    publish_row(owner=otto)
    ask(draft)
    new_share(draft, user=otto, access=Access.OWN).save()
    for person, status in ((ines, 404), (otto, 200)):
        client.force_login(person)
        for address, sent in looks(draft.slots.get()):
            assert client.get(address, sent).status_code == status, address
    client.logout()
    for address, sent in looks(draft.slots.get()):
        assert client.get(address, sent).status_code in (302, 403), address


def test_withdrawn_numbers_of_a_problem_are_its_readers_alone(client, ines, otto, strikers):
    publish_row(owner=otto)
    variant = draw_unsaved_variant(problems.kind_of(KEY, {}), "1")
    variant.save()
    withdraw_variant(variant=variant, by=otto, reason="Dull.")
    listing, add = (reverse(f"admin:quizzes_struckout_{name}") for name in ("changelist", "add"))
    (row,) = StruckOut.objects.all()
    alone = reverse("admin:quizzes_struckout_change", args=[row.pk])
    client.force_login(otto)
    assert "Scores of a query" in client.get(listing).text
    assert client.get(add, {"variant": variant.pk}).status_code == 200
    client.force_login(ines)
    assert not found_in(client.get(listing).text, "Scores of a query", KEY)
    assert client.get(add, {"variant": variant.pk}).status_code == 404
    assert client.get(alone).status_code == 302  # as any row that isn’t there


def test_twenty_variants_are_of_the_version_that_the_slot_asks(client, root, quiz, monkeypatch):
    monkeypatch.setattr("quizzes.admin.variants.PAGE_SIZE", 2)
    publish_row(SCORES.replace("Scores of a query", "Renamed"), version=2)
    client.force_login(root)
    page = client.get(reverse("admin:quizzes_slot_variants", args=[quiz.slots.get().pk]))
    assert page.context["kind"].startswith(f"{KEY}/1/")
    assert "Scores of a query" in page.text
    page = client.get(reverse("admin:quizzes_family_variants"), {"family": KEY})
    assert page.context["kind"].startswith(f"{KEY}/2/")


# Publishing


def test_publishing_proves_and_draws_nothing_of_a_written_problem(publishable, monkeypatch):
    proved = []
    for name in ("prove", "prove_many"):
        monkeypatch.setattr(f"quizzes.problems.drawing.{name}", proved.append)
    monkeypatch.setattr("attention_core.variety.examine_many", proved.append)
    monkeypatch.setattr("quizzes.problems.catalogue.prove", proved.append)
    publishable.slots.exclude(position=2).filter(topic="").update(
        family=KEY, family_version=1, options={"tokens": 2, "width": 2}
    )
    publishable.sittings.update(minutes=600)
    monkeypatch.setattr("quizzes.authoring.services.publishing.MAX_CELLS", 600)
    problems.cost_of_kind.cache_clear()
    assert publish_quiz(quiz=read_again(publishable)) == []
    assert proved == []


def test_publishing_keeps_the_version_that_a_slot_names(publishable):
    second()
    assert publish_quiz(quiz=publishable) == []
    assert asked_by(publishable, 2)[1] == 1


def test_a_problem_with_few_numbers_is_no_exam_problem(publishable):
    publish_row(FEW, key="own_few")
    ask(publishable, key="own_few", position=2, tokens=2)
    (trouble,) = publish_quiz(quiz=publishable)
    assert trouble.startswith("Slot 2: “Few” has fewer than 200 different sets of numbers")
    assert (trouble.slots, read_again(publishable).published) == ((2,), True)


def test_shipped_families_are_never_for_practice_only():
    assert not problems.is_for_practice_only(problems.kind_of("cosine", {"width": 2}))


def test_a_withdrawn_version_is_named_with_what_to_do(publishable, otto):
    withdraw_version(problem=first_version(), by=otto)
    (trouble,) = find_obstacles(publishable)
    assert "version 1 of “Scores of a query” was withdrawn, and no newer one" in trouble
    assert "Take the slot out" in trouble
    second()
    (trouble,) = find_obstacles(publishable)
    assert "version 1 of “Scores of a query” was withdrawn. Take its newest" in trouble
    assert take_newest_versions(quiz=publishable).slots == 1
    assert find_obstacles(publishable) == []


def test_a_withdrawn_version_is_not_said_to_be_replaced_by_one_that_cannot(publishable, otto):
    later = second()
    ask(publishable, position=2, version=2)
    withdraw_version(problem=later, by=otto)
    (trouble,) = find_obstacles(publishable)
    assert "no newer one can take its place" in trouble  # the first version can still be asked
    ask(publishable, position=2, version=2, tokens=2)
    publish_row(SCORES.replace("3, 2;", "3, 4;"), version=3)
    (trouble,) = find_obstacles(publishable)
    assert "no newer one can take its place" in trouble


@each("version", [7, None])
def test_a_version_that_is_not_there_keeps_back_the_quiz(publishable, version):
    Slot.objects.filter(quiz=publishable, position=2).update(
        family="own_missing", family_version=version
    )
    (trouble,) = find_obstacles(publishable)
    assert trouble.startswith("Slot 2: there’s no published")
    assert "“own_missing”. Choose something else for it" in trouble


def test_a_copy_does_not_publish_a_problem_that_its_owner_must_not_read(publishable, ines, otto):
    WrittenProblemShare.objects.create(key=KEY, user=otto, access=Access.OWN)
    copy = duplicate_quiz(quiz=publishable, by=ines)
    assert asked_by(copy, 2)[:2] == (KEY, 1)
    assert "no owner of this quiz can read" in find_obstacles(copy)[0]
    WrittenProblemShare.objects.create(key=KEY, user=ines, access=Access.READ)
    assert find_obstacles(copy) == []


def test_a_slot_that_names_no_version_gets_the_newest(draft):
    publish_row()
    second()
    write_slots(quiz=draft, wanted=[Slot(family=KEY), Slot(family="cosine")])
    assert [slot.family_version for slot in draft.slots.order_by("position")] == [2, None]


# Asking versions


@pytest.fixture
def any_number_of_slots(monkeypatch):
    """Set the number of slots that publishing needs to one."""
    monkeypatch.setattr("quizzes.authoring.services.publishing.SLOT_COUNT", 1)


def test_a_quiz_goes_on_asking_its_version_until_the_newest_is_taken(
    quiz, student, any_number_of_slots
):
    first = start_attempt(student=student, quiz=quiz)
    second()
    ann, bob = make_user("ann"), make_user("bob")
    assert versions(start_attempt(student=ann, quiz=quiz)) == [1]
    (slot,) = quiz.slots.all()
    assert take_newest_versions(quiz=quiz).slots == 1
    assert versions(start_attempt(student=bob, quiz=quiz)) == [2]
    assert versions(first) == [1]
    # The slot that was asked is retired, and its attempts are marked by what they were asked.
    assert Slot.every.get(pk=slot.pk).retired_at
    answer_everything(first)
    assert submit_and_mark(first).score == first.out_of


def test_a_published_quiz_keeps_its_versions_if_it_cannot_be_published_with_the_newest(
    root_client, publishable
):
    assert publish_quiz(quiz=publishable) == []
    dear = SCORES + "".join(f"s{n} = 2 * scores\n    label: Again\n" for n in range(9))
    publish_row(dear, version=2)
    assert take_newest_versions(quiz=publishable).troubles
    page = root_client.post(pools(publishable), follow=True)
    assert "The newest versions of problems weren’t taken. The slots have" in page.text
    assert asked_by(publishable, 2)[1] == 1


def test_the_pools_page_takes_the_newest_versions_of_a_published_quiz(root_client, publishable):
    assert publish_quiz(quiz=publishable) == []
    assert "Problems with a newer version" not in root_client.get(pools(publishable)).text
    second()
    page = root_client.get(pools(publishable))
    assert not missing_in(visible_text(page.text), "Slot 2: Scores of a query", "take the newest")
    done = root_client.post(pools(publishable), follow=True)
    assert "1 slot now asks the newest version" in done.text
    assert asked_by(publishable, 2)[1] == 2


def test_a_version_that_does_not_offer_a_slots_sizes_is_not_taken(quiz):
    ask(quiz, tokens=2)
    publish_row(SCORES.replace("3, 2;", "3, 4;"), version=2)
    assert take_newest_versions(quiz=quiz).slots == 0
    assert asked_by(quiz)[1] == 1


def test_a_version_that_cannot_be_taken_is_listed_with_the_reason(root_client, quiz):
    ask(quiz, tokens=2)
    publish_row(SCORES.replace("3, 2;", "3, 4;"), version=2)
    page = root_client.get(pools(quiz))
    words = ("Slot 1: Scores of a query, version 1.", "Version 2 isn’t taken", "(tokens 2)")
    assert not missing_in(visible_text(page.text), *words)
    assert "newest versions" not in page.text


# Withdrawn in mid-exam


def test_a_withdrawal_ends_new_starts_and_no_attempt(quiz, student, otto):
    running = start_attempt(student=student, quiz=quiz)
    withdraw_version(problem=first_version(), by=otto)
    late = make_user("late")
    with pytest.raises(NotOpen, match="“Scores of a query” was withdrawn") as refused:
        start_attempt(student=late, quiz=quiz)
    assert KEY not in str(refused.value)
    assert start_attempt(student=student, quiz=quiz) == running
    answer_everything(running)
    assert submit_and_mark(running).score == running.out_of
    assert not Attempt.objects.filter(student=late).exists()


def test_a_withdrawn_version_is_not_previewed_or_stocked(quiz, otto, root):
    withdraw_version(problem=first_version(), by=otto)
    slots = list(quiz.slots.all())
    assert find_empty_slots(quiz, slots) == ["Slot 1: this version of the problem was withdrawn."]
    with pytest.raises(NotDrawn):
        start_preview(author=root, quiz=quiz)
    assert (stock_levels(), stock_variants()) == ((0, 0), 0)


def test_it_is_stocked_and_previewed_in_the_version_of_the_slot(quiz, root, settings):
    settings.VARIANTS_IN_STOCK = 2
    second()
    assert stock_variants(seconds=30) == 2
    assert set(Variant.objects.values_list("family", "version", "for_exams")) == {(KEY, 1, True)}
    assert versions(start_preview(author=root, quiz=quiz)) == [1]


# Rehearsals


def test_robots_make_the_mistakes_of_the_version_that_is_asked(
    quiz, monkeypatch, any_number_of_slots
):
    monkeypatch.setattr("quizzes.simulation.robots.ROBOTS", 40)
    monkeypatch.setattr("quizzes.simulation.robots.VARIANTS", 4)
    own = SCORES.replace(
        "    label: The scores $s$\n",
        '    label: The scores $s$\ndoubled: scores = 2 * K @ q : "Do not double."\n',
    )
    publish_row(own, version=2)
    # What is the newest does not matter.
    publish_row(SCORES, version=3)
    ask(quiz, version=2)
    assert simulation_input(quiz)["slots"][0]["version"] == 2
    asked = queue_simulation(quiz=quiz, by=None)
    while run_waiting_simulations():
        pass
    done = refresh(asked)
    assert done.state == Rehearsal.State.DONE, done.trouble
    made = {each["mistake"]: each for each in done.result["mistakes"]}
    assert made["doubled"]["made"] > 0
    assert made["doubled"]["named"] > 0
    assert "Do not double." in made["doubled"]["feedback"]
    take_newest_versions(quiz=quiz)
    assert refresh(asked).asked != simulation_input(quiz)


def test_slots_without_a_version_are_rehearsed_as_before(draft):
    assert "version" not in simulation_input(draft)["slots"][0]


# Content files


def in_file(folder, **slot):
    data = {"slug": "loaded", "title": "Loaded", "slots": [{"family": KEY} | slot]}
    (folder / "loaded.yaml").write_text(yaml.safe_dump(data))
    return load_quizzes(folder=folder, overwrite=False)


def test_a_file_names_a_problem_by_its_key_and_gets_the_newest_version(tmp_path):
    publish_row()
    second()
    in_file(tmp_path, options={"tokens": 2})
    quiz = Quiz.objects.get(slug="loaded")
    assert asked_by(quiz) == (KEY, 2, {"tokens": 2})
    assert serialize_quiz(quiz)["slots"][0]["family"] == KEY
    # A newer version alone is no edit, and no reason to write the quiz again.
    publish_row(version=3)
    (loaded,) = in_file(tmp_path, options={"tokens": 2})
    assert (loaded.outcome.writes, asked_by(quiz)[1]) == (False, 2)


def test_a_file_that_names_a_problem_which_is_not_here_is_refused(tmp_path):
    with pytest.raises(ContentError, match="there’s no published problem “own_scores”"):
        in_file(tmp_path)
    assert not Quiz.objects.exists()


# From its start to its results


def slipped(item):
    """Return an answer without the root: the scores are wrong, what follows from them is right."""
    variant = item.variant
    scores = [
        sum(a * b for a, b in zip(row, variant.givens["q"], strict=True))
        for row in variant.givens["K"]
    ]
    total = sum(map(exp, scores))
    return {f"scores-0-{n}": f"{score:.3f}" for n, score in enumerate(scores)} | {
        f"weights-0-{n}": f"{exp(score) / total:.3f}" for n, score in enumerate(scores)
    }


def test_an_exam_follows_through_and_names_the_mistake(client, publishable, student):
    assert publish_quiz(quiz=publishable) == []
    attempt = start_attempt(student=student, quiz=read_again(publishable))
    item = attempt.items.select_related("variant").get(position=2)
    assert item.variant.kind.startswith(f"{KEY}/1/")
    answer_everything(
        attempt, lambda each: slipped(each) if each.variant and each.variant.family == KEY else {}
    )
    submit_and_mark(attempt)
    first, then = latest(attempt, 2).steps
    assert (first["verdict"], first["mistake"]) == ("mistake", "unscaled")
    assert then["verdict"] == "follows"
    client.force_login(student)
    page = visible_text(client.get(reverse("quizzes:results", args=[attempt.pk])).text)
    assert not missing_in(page, "Scores of a query", "earlier numbers", "divide by")
