"""Every address × every role × every method × every state of the second factor.

The tables of `addresses.py` say who gets in; `walking.py` says what is promised of an answer. All
cases together would take minutes, so a share of them is requested.
"""

import json
import logging
import os
import re
import time
from collections import Counter

import pytest
from django.db import transaction

from classes.models import Membership
from quizzes.marking.services import grade_waiting
from quizzes.models import Attempt, Sitting
from tests.access.addresses import ADDRESSES, EVERY, NAMELESS, addresses_of, admin_rule
from tests.access.walking import (
    STATES,
    WITH_A_ROLE,
    Case,
    Walker,
    cases,
    led,
    set_up,
    share,
    trouble,
)
from tests.conftest import FormClient

pytestmark = pytest.mark.django_db


def test_every_address_stands_in_a_table():
    for pattern in EVERY:
        if pattern.route.startswith("admin/"):
            admin_rule(pattern)  # raises where there is none
        else:
            assert pattern.name in ADDRESSES or pattern.route in NAMELESS, pattern


# Of 44 ways in which each role may request an address. Four of them look, act, act without a
# token and try another method; of half the roles the first of these is not slow. All 114,000
# cases take twenty minutes.
WALKED = int(os.environ.get("SOFTMARK_TEST_WALK", "4"))


@pytest.mark.parametrize(
    ("first", "others"),
    [
        pytest.param(slice(1), slice(0), id="first"),
        pytest.param(slice(1, WALKED), slice(WALKED), id="further", marks=pytest.mark.slow),
    ],
)
def test_each_role_gets_as_far_as_the_tables_say(
    first, others, objects, people, settings, record_property
):
    chosen = share(cases(addresses_of(objects)), first, others)
    counts = walk_all(chosen, people, objects["secret"], settings)
    for name, count in counts.items():
        record_property(name, count)
    assert counts["acts"] >= 5  # otherwise the posts change nothing and prove nothing


def test_without_the_second_factor_those_with_duties_are_led_to_it(objects, people, settings):
    chosen = list(led(addresses_of(objects)))
    assert {case.role for case in chosen} == WITH_A_ROLE
    assert walk_all(chosen, people, objects["secret"], settings)["acts"] == 0


def walk_all(chosen: list[Case], people, secret, settings) -> Counter:
    """Request all cases, state after state, and check the answers. Return what was counted."""
    logging.disable()
    wrong, counts, began = [], Counter(cases=len(chosen)), time.process_time()
    try:
        for state in STATES:
            settings.STAFF_MFA = state != "not asked for"
            of_state = [case for case in chosen if case.state == state]
            walk(of_state, people, secret, state, wrong, counts)
    finally:
        logging.disable(logging.NOTSET)
    assert not wrong, f"{len(wrong)} of {len(chosen)}:\n" + "\n".join(wrong)
    counts["processor seconds"] = round(time.process_time() - began)
    return counts


def walk(chosen: list[Case], people, secret, state, wrong, counts):
    """Request all cases of one state, person after person, and roll back."""
    with transaction.atomic():
        if state in ("not passed", "passed"):
            set_up(people)
        walkers = {}
        for case in chosen:
            if case.role not in walkers:
                walkers[case.role] = Walker(case.role, state, people, secret)
            found = walkers[case.role].ask(case)
            if problem := trouble(case, found):
                wrong.append(f"{case}: {problem}")
            counts["acts"] += bool(found.changed and case.method == "POST")
            counts["let in"] += found.letter == "o"
        transaction.set_rollback(True)


def test_nothing_that_a_student_can_fetch_tells_of_an_exam_before_its_release(
    client, objects, people, quiz
):
    Sitting.objects.filter(quiz=quiz).update(release=Sitting.Release.BY_HAND)
    grade_waiting()
    secrets = secrets_of(Attempt.objects.get(pk=objects["submitted"]))
    secrets |= secrets_of(Attempt.objects.get(pk=objects["attempt"]))
    # Those who teach a class read its quiz with its key, before students do.
    Membership.objects.filter(user=people["owner"]).update(role="student")
    client.force_login(people["owner"])
    leaked = []
    for name, (template, *_table) in ADDRESSES.items():
        answer = client.get(template.format(**objects))
        text = answer.getvalue().decode(errors="replace") + str(answer.headers)
        leaked += [(name, secret) for secret in secrets if secret in text]
    assert not leaked, leaked
    Sitting.objects.filter(quiz=quiz).update(released=True)
    results = client.get(f"/attempts/{objects['submitted']}/results/").content.decode()
    assert any(secret in results for secret in secrets)


def secrets_of(attempt: Attempt) -> set[str]:
    """Return texts that must not leak: seeds, fingerprints, explanations, longer results."""
    found = set()
    for item in attempt.items.select_related("variant"):
        if item.variant:
            found |= {
                item.variant.seed,
                str(item.variant.fingerprint),
                item.variant.fingerprint.hex,
            }
            # A result with few digits may be on some page for another reason.
            longer = re.findall(r"-?\d\.\d{6,}", json.dumps(item.variant.solution))
            found.update(text for text in longer if round(float(text), 6) != round(float(text), 3))
        else:
            found.add(item.shown["explanation"])
            found |= {choice["feedback"] for choice in item.shown["choices"]}
    return found


def test_a_number_that_no_row_can_have_is_a_page_that_is_not_there(objects, people):
    client = FormClient(raise_request_exception=False)
    client.force_login(people["administrator"])
    wrong = []
    for pattern in EVERY:
        numbers = re.findall(r"<(?:key|path):(\w+)>", pattern.route)
        for number in numbers:
            path = re.sub(rf"<(?:key|path):{number}>", "9" * 30, f"/{pattern.route}")
            path = re.sub(r"<(?:key|path):\w+>", "1", path)
            path = re.sub(r"<(?:slug|str):\w+>|<\w+>", "foundations", path)
            if "<" in path or "(" in path:
                continue
            if client.get(path).status_code >= 500:
                wrong.append(path)
    assert not wrong, f"{len(wrong)}: {wrong[:5]}"
