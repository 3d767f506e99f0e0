"""Processes that end with the process that started them, however it ends."""

import os
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from scripts.console import Problem, last_lines, print_now

# Waits until the other end of its input is closed, then ends its whole process group, itself
# included. Only our process has that end open, so this works even when we are killed with -9, on
# every Unix.
WATCHDOG = """
trap '' INT TERM HUP
cat >/dev/null
kill -s TERM 0
sleep 1
kill -s KILL 0
"""

STEADY_SECONDS = 10.0  # seconds; a service that ran longer did not fail at the start
MAX_FAILURES = 5  # failures at the start, in a row
FIRST_DELAY = 0.5  # seconds before a service that has ended is started again


class Group:
    """A process group of all started processes and their children.

    It is not the terminal's, so Ctrl-C reaches our process alone, which ends the others in order.
    """

    def __init__(self, *, keep_open: int | None = None) -> None:
        """Start the watchdog. The group's end releases the file descriptor `keep_open`, if any."""
        self._watchdog = subprocess.Popen(
            ["/bin/sh", "-c", WATCHDOG],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
            pass_fds=() if keep_open is None else (keep_open,),
        )
        self.id = self._watchdog.pid

    def popen(self, command: list[Any], **options: Any) -> subprocess.Popen[Any]:
        """Start a process in the group."""
        return subprocess.Popen(
            command, **{"stdin": subprocess.DEVNULL, "process_group": self.id} | options
        )

    def begin(self, command: list[Any], log: Path, **options: Any) -> subprocess.Popen[Any]:
        """Start a process whose output goes into a log."""
        with log.open("wb") as file:
            return self.popen(command, stdout=file, stderr=subprocess.STDOUT, **options)

    def run(self, command: list[Any], log: Path, failure: str, **options: Any) -> None:
        """Run a process to its end. Raise Problem with the end of its log if it fails."""
        finish(self.begin(command, log, **options), log, failure)

    def kill(self) -> None:
        """Kill all processes that are left of the group."""
        try:
            os.killpg(self.id, signal.SIGKILL)
        except ProcessLookupError:
            return
        self._watchdog.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()


def finish(process: subprocess.Popen[Any], log: Path, failure: str) -> None:
    """Wait for the end of a process. Raise Problem with the end of its log if it failed."""
    if process.wait() != 0:
        raise Problem(f"{failure}\n{last_lines(log)}")


class Service:
    """A process that runs all the time, and is started again when it ends by itself."""

    def __init__(
        self,
        name: str,
        command: list[Any],
        *,
        group: Group,
        log: Path,
        ready: Path | None = None,
        **options: Any,
    ) -> None:
        """Start the process. `ready` is a file that it writes once it is ready, if it does."""
        self.name, self.log, self._ready = name, log, ready
        self._command, self._group, self._options = command, group, options
        self._failures = 0
        self._again_at: float | None = None
        log.unlink(missing_ok=True)
        self.start()

    def start(self) -> None:
        if self._ready:
            self._ready.unlink(missing_ok=True)
        with self.log.open("ab") as file:
            self.process = self._group.popen(
                self._command, stdout=file, stderr=subprocess.STDOUT, **self._options
            )
        self._started, self._again_at = time.monotonic(), None

    def look_after(self) -> bool:
        """Start the process again when it has ended. Return whether it was started just now.

        After failures at the start it waits longer each time; the fifth in a row raises Problem.
        """
        now = time.monotonic()
        if self._again_at is not None:
            if now >= self._again_at:
                self.start()
                return True
        elif (code := self.process.poll()) is not None:
            was_ready = self._ready and self._ready.exists()
            started = was_ready or now - self._started > STEADY_SECONDS
            self._failures = 1 if started else self._failures + 1
            if self._failures == MAX_FAILURES:
                raise Problem(
                    f"The {self.name} ended {MAX_FAILURES} times soon after its start, so "
                    f"everything was stopped. {self.log} ends with:\n{last_lines(self.log)}"
                )
            delay = FIRST_DELAY * 2 ** (self._failures - 1)
            self._again_at = now + delay
            print_now(
                f"The {self.name} {_ended(code)}; it starts again in {delay:g} s "
                f"(its log: {self.log})."
            )
        return False

    def stop(self) -> None:
        """Ask the process to end."""
        if self.process.poll() is None:
            self.process.terminate()

    def wait(self, deadline: float) -> bool:
        """Wait for the end of the process, up to a monotonic time. Return whether it has ended."""
        try:
            self.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            return False
        return True


def _ended(code: int) -> str:
    return f"was killed ({signal.Signals(-code).name})" if code < 0 else f"ended (exit code {code})"
