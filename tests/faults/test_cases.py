"""The table of faults is complete, and the tests that it names exist."""

import re
from pathlib import Path

from scripts.bootstrap import ROOT
from tests.each import each
from tests.faults.cases import CASES

TESTS = sorted({test for case in CASES for test in case.tests})


def test_every_fault_has_its_number_once():
    assert [case.number for case in CASES] == list(range(1, 46))


def test_every_fault_is_tried():
    assert all(case.tests for case in CASES)


@each("test", TESTS)
def test_every_test_that_is_named_is_there(test):
    file, *_, name = test.split("::")
    text = (ROOT / "tests" / file).read_text()
    assert re.search(rf"^ *def {name}\(", text, re.MULTILINE)


def test_the_report_has_every_fault():
    report = Path(ROOT / "docs" / "reliability.md").read_text()
    assert re.findall(r"^\| (\d+) \|", report, re.MULTILINE) == [str(c.number) for c in CASES]
