"""Try every fault, and write the results to docs/reliability.md: `make faults`."""

import sys
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import pytest

from tests.faults.cases import CASES, Case

REPORT = Path("docs/reliability.md")
HEAD = """# Fault tolerance

We kill, freeze, fill up and cut off real servers, with the tests listed in
`tests/faults/cases.py`. After each fault, everything that was acknowledged is stored, every
submission is marked exactly once or shown as waiting, and scores equal the sum of their grades.
`make faults` runs the tests again and writes this table; it was last run on {today}. The times,
in seconds, are those of the longest test, including starting the servers.

Have workers restarted when they end: `restart: unless-stopped` in docker-compose.yml does it,
`Restart=always` in a systemd unit, and the demo itself. A worker ends by itself if its event loop
has hung for 20 s although it's connected, if it's still running 40 s after SIGTERM (5 s if no
task is under way), or 5 s after it failed.

| | fault | promise | result | s |
|---|---|---|---|---|
"""


@dataclass(eq=False)  # pytest needs hashable plugins
class Outcomes:
    """Results of the tests, by file and name."""

    seen: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" and not (report.failed or report.skipped):
            return
        test = report.nodeid.removeprefix("tests/").partition("[")[0]
        self.seen[test].add(report.outcome)
        self.seconds[test] = max(self.seconds[test], report.duration)


def line(case: Case, outcomes: Outcomes) -> str:
    met = set().union(*(outcomes.seen[test] for test in case.tests))
    if "failed" in met:
        seen = "**fell short**"
    elif "passed" not in met or not all(outcomes.seen[test] for test in case.tests):
        seen = "**did not run**"
    else:
        seen = "as promised" if met == {"passed"} else "as promised; partly not tested here"
    longest = max(outcomes.seconds[test] for test in case.tests)
    return f"| {case.number} | {case.done} | {case.promised} | {seen} | {longest:.1f} |\n"


def main() -> int:
    outcomes = Outcomes()
    tests = sorted({f"tests/{test}" for case in CASES for test in case.tests})
    code = pytest.main([*tests, "-q", "-p", "no:cacheprovider"], plugins=[outcomes])
    REPORT.parent.mkdir(exist_ok=True)
    table = "".join(line(case, outcomes) for case in CASES)
    REPORT.write_text(HEAD.format(today=date.today().isoformat()) + table)
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
