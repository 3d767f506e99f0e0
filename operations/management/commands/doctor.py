"""`manage.py doctor`: what is wrong, and what to do about it."""

from django.core.management.base import BaseCommand

from operations import findings

SETTINGS = (
    findings.secrets,
    findings.hosts,
    findings.static_files,
    findings.mail,
    findings.mail_server,
    findings.disk,
)
IN_DATABASE = (
    findings.sealed,
    findings.queue,
    findings.attention,
    findings.letters,
    findings.stock,
)


class Command(BaseCommand):
    help = "Check every part of the site, and say how to fix what is wrong. Exits with 1 then."
    requires_system_checks = ()

    def handle(self, **options):
        found = []
        for finding in diagnosed():
            found.append(finding)
            self.tell(finding)
        wrong = sum(not each.is_well for each in found)
        if wrong:
            self.stdout.write(f"\n{wrong} of {len(found)} parts need attention.")
            raise SystemExit(1)
        self.stdout.write("\nAll is well.")

    def tell(self, finding):
        if finding.is_well:
            self.stdout.write(f"   well  {finding.told}")
        else:
            self.stdout.write(f"  WRONG  {finding.told}\n         {finding.advice}")


def diagnosed():
    """Every part, but none that only waits for another which is away."""
    yield from findings.looked_at(*SETTINGS)
    for part in (findings.database, findings.migrations):
        [found] = findings.looked_at(part)
        yield found
        if not found.is_well:
            break
    else:
        yield from findings.looked_at(*IN_DATABASE)
    for part in (findings.broker, findings.probe, findings.beat):
        [found] = findings.looked_at(part)
        yield found
        if not found.is_well:
            return
