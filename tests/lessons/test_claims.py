"""The claims that age are still in their lessons, each with its source and date."""

import re
from datetime import date

import pytest
import yaml

from tests.lessons.conftest import CONTENT
from tests.lessons.shipped import shipped

FILE = CONTENT / "claims.yaml"
LESSONS = {file.stem for file in (CONTENT / "lessons").glob("*.md")}
KEYS = {"claim", "where", "source", "date"}


def find_faults(text: str) -> list[str]:
    """Return a sentence with its line for each entry that a later author could not check."""
    entries = yaml.compose(text, yaml.SafeLoader).value
    return [
        f"claims.yaml, line {node.start_mark.line + 1}: {fault}"
        for node in entries
        if (fault := fault_of(yaml.SafeLoader("").construct_document(node)))
    ]


def fault_of(entry: dict) -> str:
    if set(entry) != KEYS:
        return f"an entry has a claim, where, source and date, and this has {', '.join(entry)}"
    slug, _, section = str(entry["where"]).partition("#")
    if slug not in LESSONS or (section and section not in shipped(slug).bodies):
        return f"there is no {entry['where']}"
    if one_line(entry["claim"]) not in one_line(
        shipped(slug).bodies[section] if section else shipped(slug).text
    ):
        return f"{entry['where']} does not say “{entry['claim']}” any more"
    if not re.match(r"https://\S+$", str(entry["source"])):
        return f"its source is no web address: {entry['source']}"
    if not re.match(r"(19|20)\d\d(-(0[1-9]|1[0-2]))?$", str(entry["date"])):
        return f"its date is a year or a year and a month, and not {entry['date']}"
    if str(entry["date"]) > f"{date.today():%Y-%m}":
        return f"its date is still to come: {entry['date']}"
    return ""


def one_line(text: str) -> str:
    return " ".join(str(text).split())


def test_every_claim_is_in_its_text_with_a_source_and_a_date():
    assert find_faults(FILE.read_text(encoding="utf-8")) == []


GOOD = "where: primer#check\n  source: https://example.org/\n  date: 2025-03\n"


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        (f"claim: nobody wrote this\n  {GOOD}", "primer#check does not say “nobody wrote this”"),
        (f"claim: the\n  {GOOD}".replace("#check", "#gone"), "there is no primer#gone"),
        (f"claim: the\n  {GOOD}".replace("primer", "other"), "there is no other#check"),
        (f"claim: the\n  {GOOD}".replace("  date: 2025-03\n", ""), "an entry has a claim"),
        (f"claim: the\n  {GOOD}".replace("2025-03", "soon"), "its date is a year"),
        (f"claim: the\n  {GOOD}".replace("2025-03", "2099-01"), "its date is still to come"),
        (f"claim: the\n  {GOOD}".replace("https:", "see"), "its source is no web address"),
        (f"claim: the\n  {GOOD}", ""),
    ],
)
def test_a_later_author_reads_what_is_wrong_with_its_line(entry, fault):
    found = find_faults(f"# A comment.\n- {entry}")
    assert found == [] if not fault else found[0].startswith(f"claims.yaml, line 2: {fault}")
