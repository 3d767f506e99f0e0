"""A service that ends is restarted; one that always fails at its start ends the site."""

import sys
from pathlib import Path

import pytest

from scripts import processes
from scripts.console import Problem
from scripts.processes import Group, Service
from tests.processes import wait_until

ENDS = "import pathlib, sys; sys.argv[1:] and pathlib.Path(sys.argv[1]).touch(); sys.exit(1)"


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "FIRST_DELAY", 0.01)


def restart(service: Service, times: int) -> None:
    """Look after the service until it has been restarted so often."""
    while times > 0:
        times -= bool(wait_until(service.look_after))


def test_one_that_was_ready_is_started_as_often_as_it_ends_and_one_that_never_was_ends_it_all(
    group: Group, tmp_path: Path
) -> None:
    ready = tmp_path / "ready"
    command = [sys.executable, "-c", ENDS]
    made = {"group": group, "log": tmp_path / "log", "ready": ready}
    restart(Service("worker", [*command, ready], **made), 2 * processes.MAX_FAILURES)
    ready.unlink(missing_ok=True)
    with pytest.raises(Problem, match="ended 5 times soon after its start"):
        restart(Service("worker", command, **made), processes.MAX_FAILURES)
