"""A service that ends is restarted; one that always fails at its start ends the site."""

import sys
from pathlib import Path

import pytest

from scripts import processes
from scripts.console import Problem
from scripts.processes import Group, Service
from tests.processes import wait_until

ENDS = "import pathlib, sys; sys.argv[1:] and pathlib.Path(sys.argv[1]).touch(); sys.exit(1)"


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    return tmp_path / "ready"


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "FIRST_DELAY", 0.01)


def starts_of(service: Service, most: int) -> int:
    """Look after the service until it has been restarted `most` times, and return the number."""
    started = 0
    while started < most:
        started += bool(wait_until(service.look_after))
    return started


def test_one_that_ends_once_it_was_ready_is_started_as_often_as_it_ends(
    group: Group, tmp_path: Path, ready: Path
) -> None:
    command = [sys.executable, "-c", ENDS, ready]
    service = Service("worker", command, group=group, log=tmp_path / "log", ready=ready)
    assert starts_of(service, 2 * processes.MAX_FAILURES) == 2 * processes.MAX_FAILURES


def test_one_that_is_never_ready_ends_it_all(group: Group, tmp_path: Path, ready: Path) -> None:
    command = [sys.executable, "-c", ENDS]
    service = Service("worker", command, group=group, log=tmp_path / "log", ready=ready)
    with pytest.raises(Problem, match="ended 5 times soon after its start"):
        starts_of(service, processes.MAX_FAILURES)
