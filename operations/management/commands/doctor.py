"""`manage.py doctor`: check every part of the site and say how to fix it."""

from django.core.management.base import BaseCommand

from operations.checks import run_checks


class Command(BaseCommand):
    help = (
        "Check every part of the site and say how to fix what's wrong. Exits with 1 if anything is."
    )
    requires_system_checks = ()

    def handle(self, **options):
        found = []
        for _, finding in run_checks(patiently=True):
            found.append(finding)
            self.write_finding(finding)
        wrong = sum(not each.is_ok for each in found)
        if wrong:
            self.stdout.write(f"\nParts that need attention: {wrong} of {len(found)}.")
            raise SystemExit(1)
        self.stdout.write("\nAll is well.")

    def write_finding(self, finding):
        if finding.is_ok:
            self.stdout.write(f"   well  {finding.summary}")
        else:
            self.stdout.write(f"  WRONG  {finding.summary}\n         {finding.advice}")
