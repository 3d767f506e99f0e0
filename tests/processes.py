"""Processes that tests start, kill, freeze and wait for."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from scripts.bootstrap import ROOT
from scripts.processes import Group


def wait_until[T](condition: Callable[[], T], seconds: float = 30, what: str = "it") -> T:
    """Call the condition repeatedly until its result is true, and return that."""
    deadline = time.monotonic() + seconds
    while not (answer := condition()):
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds:g} s"
        time.sleep(0.02)
    return answer


def children_of(pid: int) -> set[int]:
    """Return the running processes that this process has started itself."""
    listed = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True)
    return set(map(int, listed.stdout.split()))


@dataclass
class Process:
    """A process that a test may kill or freeze, and start again."""

    command: list[Any]
    group: Group
    log: Path
    environment: dict[str, str]
    is_ready: Callable[[], bool]
    options: dict[str, Any] = field(default_factory=lambda: {"cwd": ROOT})
    process: subprocess.Popen[Any] | None = None

    def start(self) -> None:
        with self.log.open("wb") as log:
            self.process = self.group.popen(
                self.command,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                **self.options,
            )
        wait_until(self._started, what=f"the start of {self.command}")

    def _started(self) -> bool:
        assert self.alive, f"{self.command} ended: {self.log.read_text()}"
        return self.is_ready()

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def send(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def freeze(self) -> None:
        """Stop the process where it is, and wait until it has stopped."""
        assert self.process is not None
        self.send(signal.SIGSTOP)
        os.waitpid(self.process.pid, os.WUNTRACED)

    def thaw(self) -> None:
        self.send(signal.SIGCONT)

    def kill(self) -> None:
        """End the process as a power cut would."""
        self.end(signal.SIGKILL)

    def stop(self) -> None:
        """End the process in order."""
        self.end(signal.SIGTERM)

    def end(self, number: signal.Signals) -> None:
        if self.alive:
            assert self.process is not None
            self.thaw()  # a frozen process receives nothing else
            self.send(number)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                pytest.fail(f"{self.command} did not end:\n{self.log.read_text()}")

    def __enter__(self) -> "Process":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
