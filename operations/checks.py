"""The list of all checks, for the doctor, readiness and the metrics."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from django.core.cache import caches

from operations import findings
from operations.findings import Finding


class Severity(StrEnum):
    """The consequence of a failed check, in the words of `/readyz`."""

    UNREADY = "unready"  # a web process can serve nobody
    DEGRADED = "degraded"  # somebody has to act
    ADVICE = "ok"  # a setting that may be intended: only the doctor complains


@dataclass(frozen=True)
class Check:
    """A check of one part of the site.

    Args:
        look: returns the finding; its name identifies the part to machines.
        severity: the consequence if the part is not well.
        needs: the part without which there is nothing to check.
        seconds: how long a process caches the finding.
        is_elsewhere: whether it asks other people's servers, which a load balancer's checks every
            second must not reach.
        ask: returns a better finding, but takes its time.
    """

    look: Callable[[], Finding]
    severity: Severity = Severity.DEGRADED
    needs: str = ""
    seconds: int = 0
    is_elsewhere: bool = False
    ask: Callable[[], Finding] | None = None

    @property
    def key(self) -> str:
        return self.look.__name__


CHECKS = (
    Check(findings.database, Severity.UNREADY),
    Check(findings.migrations, needs="database", seconds=30),
    Check(findings.secrets, Severity.ADVICE),
    Check(findings.hosts, seconds=30),
    Check(findings.static_files),
    Check(findings.sealed, needs="migrations", seconds=30),
    Check(findings.mail, Severity.ADVICE),
    Check(findings.mail_server, seconds=30, is_elsewhere=True),
    Check(findings.letters, needs="migrations", seconds=30),
    Check(findings.queue, needs="migrations"),
    Check(findings.attention, needs="migrations"),
    Check(findings.problems, needs="migrations", seconds=30),
    Check(findings.stock, needs="migrations", seconds=30),
    Check(findings.disk),
    Check(findings.clock, needs="database", seconds=30),
    Check(findings.broker),
    Check(findings.worker, needs="broker", ask=findings.probe_worker),
    Check(findings.beat, needs="worker", ask=findings.await_beat),
)


def run_checks(
    *, elsewhere: bool = True, patiently: bool = False
) -> Iterator[tuple[Check, Finding]]:
    """Yield each check with its finding, except for checks that need a part that is not well.

    Args:
        elsewhere: whether to ask other people's servers too.
        patiently: whether to use `ask`, which takes its time.
    """
    away = set()
    for check in CHECKS:
        if check.needs in away:
            away.add(check.key)
        elif elsewhere or not check.is_elsewhere:
            found = _found(check, patiently=patiently)
            if not found.is_ok:
                away.add(check.key)
            yield check, found


def _found(check: Check, *, patiently: bool) -> Finding:
    """Return a check's finding; a check that raises an error is a finding too."""
    look = (patiently and check.ask) or check.look
    try:
        if check.seconds:
            return caches["local"].get_or_set(f"found-{check.key}", look, check.seconds)
        return look()
    except Exception as trouble:
        sentence = f"The check “{check.key}” failed: {type(trouble).__name__}."
        return Finding(sentence, "Fix any problems above first, then try again.")
