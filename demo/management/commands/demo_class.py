"""`manage.py demo_class`: create a class with three weeks of work in it."""

import time

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from demo.class_of_robots import TITLE, archive_demo_class, create_demo_class
from lessons.models import Lesson
from quizzes.models import Quiz
from sharing.models import Access
from sharing.services import share


class Command(BaseCommand):
    help = (
        "Make a class of robots with three weeks of work, and the mistakes that students make. "
        "Running it again only adds what's missing."
    )

    def add_arguments(self, parser):
        parser.add_argument("--instructor", default="instructor@softmark.example")
        parser.add_argument(
            "--student",
            default="student@softmark.example",
            help="an account to put into it, with a quiz due",
        )
        parser.add_argument("--students", type=int, default=120)
        parser.add_argument(
            "--seed", default="demo", help="a different one makes a different class"
        )
        parser.add_argument("--again", action="store_true", help="archive the previous one first")
        parser.add_argument(
            "--force",
            action="store_true",
            help="even if neither SOFTMARK_DEMO nor SOFTMARK_DEBUG is set",
        )

    def handle(self, *, instructor, student, students, seed, again, force, **options):
        if not (settings.SOFTMARK_DEMO or settings.DEBUG or force):
            raise CommandError(
                "This would add robots to your students. If you want that, use --force."
            )
        if students < 6:
            raise CommandError("A demo class needs at least 6 students.")
        _share_what_is_shipped()
        people = {"instructor": _account(instructor), "student": _account(student)}
        if again:
            archive_demo_class(instructor=people["instructor"])
        began, attempts = time.monotonic(), 0
        made = create_demo_class(**people, now=timezone.now(), seed=seed, students=students)
        for quiz, count in made:
            attempts += count
            self.stdout.write(f"{quiz}: {count} attempts")
        if attempts:
            seconds = time.monotonic() - began
            self.stdout.write(f"{TITLE}: {attempts} attempts in {seconds:.0f} s")
        else:
            self.stdout.write(f"{TITLE}: already complete")


def _share_what_is_shipped():
    """Share the demo's lessons and quizzes with every instructor, to edit."""
    for row in (*Lesson.objects.of_the_site(), *Quiz.objects.of_the_site()):
        share(row=row, user=None, access=Access.EDIT, by=None)


def _account(email):
    account = get_user_model().objects.filter(email=email).first()
    if account is None:
        raise CommandError(
            f"There's no account {email}. To make the demo's, run: manage.py demo_accounts"
        )
    return account
