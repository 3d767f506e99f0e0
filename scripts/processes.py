"""Processes that end with the one that started them, however it ends."""

import os
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from scripts.console import Problem, last_lines, say

# Waits until nobody holds the other end of its input, then ends its whole process group,
# itself included. That end is held by our process alone, so this happens even when we are
# killed with -9, on every Unix.
WATCHDOG = """
trap '' INT TERM HUP
cat >/dev/null
kill -s TERM 0
sleep 1
kill -s KILL 0
"""

STEADY = 10.0  # seconds; whoever ran longer than this did not fail at the start
PATIENCE = 5  # failures at the start, in a row
FIRST_DELAY = 0.5  # seconds before one that has ended is started again


class Group:
    """A process group that holds everything we start, and whatever that starts in turn.

    It is not the terminal's, so Ctrl-C reaches us alone and we end the others in order.
    """

    def __init__(self, *, keep_open: int | None = None) -> None:
        """`keep_open` is a file descriptor, such as a lock's, that the group's end releases."""
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

    def run(self, command: list[Any], log: Path, failure: str, **options: Any) -> None:
        """Run a process to its end; when it fails, say so with the end of its log."""
        with log.open("wb") as file:
            process = self.popen(command, stdout=file, stderr=subprocess.STDOUT, **options)
        if process.wait() != 0:
            raise Problem(f"{failure}\n{last_lines(log)}")

    def kill(self) -> None:
        """End, at once, whatever is left of the group."""
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


class Service:
    """One process that is to run all the time: started again when it ends by itself."""

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
        """`ready` is a file that the process writes once it is ready; not all have one."""
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
        """Start the process again when it has ended; return whether it was started just now.

        One that fails at its start is started a little later each time, five times in all.
        """
        now = time.monotonic()
        if self._again_at is not None:
            if now >= self._again_at:
                self.start()
                return True
        elif (code := self.process.poll()) is not None:
            was_ready = self._ready and self._ready.exists()
            started = was_ready or now - self._started > STEADY
            self._failures = 1 if started else self._failures + 1
            if self._failures == PATIENCE:
                raise Problem(
                    f"The {self.name} ended {PATIENCE} times soon after its start, so everything "
                    f"was stopped. The end of {self.log}:\n{last_lines(self.log)}"
                )
            delay = FIRST_DELAY * 2 ** (self._failures - 1)
            self._again_at = now + delay
            say(
                f"The {self.name} {_ended(code)}; it is started again in {delay:g} s "
                f"(its log: {self.log})."
            )
        return False

    def stop(self) -> None:
        """Ask the process to end."""
        if self.process.poll() is None:
            self.process.terminate()

    def wait(self, deadline: float) -> bool:
        """Whether the process has ended before a moment of the monotonic clock."""
        try:
            self.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            return False
        return True


def _ended(code: int) -> str:
    return f"was killed ({signal.Signals(-code).name})" if code < 0 else f"ended (exit code {code})"
