"""All that is looked at, in one list; the doctor, readiness and the metrics each read it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from django.core.cache import caches

from operations import findings
from operations.findings import Finding


class Severity(StrEnum):
    """What a part that is not well makes of the site, in the words of readiness."""

    UNREADY = "unready"  # a web process can serve nobody
    DEGRADED = "degraded"  # somebody has to be called
    ADVICE = "ok"  # a setting that may be meant so: the doctor alone complains


@dataclass(frozen=True)
class Check:
    """A part of the site that is looked at.

    Args:
        look: finds out; by its name machines know the part.
        severity: what it means if the part is not well.
        needs: the part without which there is nothing to find out.
        seconds: for so long a process believes what it found.
        is_elsewhere: it asks other people's servers, which are not to hear of each second in which
            a load balancer asks.
        ask: finds out better, but takes its time.
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
    Check(findings.stock, needs="migrations", seconds=30),
    Check(findings.disk),
    Check(findings.clock, needs="database", seconds=30),
    Check(findings.broker),
    Check(findings.worker, needs="broker", ask=findings.probe),
    Check(findings.beat, needs="worker", ask=findings.await_beat),
)


def looked_at(
    *, elsewhere: bool = True, patiently: bool = False
) -> Iterator[tuple[Check, Finding]]:
    """Yield what each check finds, but none that only waits for another part.

    Args:
        elsewhere: other people's servers are asked too.
        patiently: the better way is taken where it takes its time.
    """
    away = set()
    for check in CHECKS:
        if check.needs in away:
            away.add(check.key)
        elif elsewhere or not check.is_elsewhere:
            found = _found(check, patiently=patiently)
            if not found.is_well:
                away.add(check.key)
            yield check, found


def _found(check: Check, *, patiently: bool) -> Finding:
    """Return what a check finds; one that fails itself is a finding too."""
    look = (patiently and check.ask) or check.look
    try:
        if check.seconds:
            return caches["local"].get_or_set(f"found-{check.key}", look, check.seconds)
        return look()
    except Exception as trouble:
        told = f"This could not be checked: {type(trouble).__name__}."
        return Finding(told, "Fix the problems above first.")
