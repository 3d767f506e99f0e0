"""Create the data that an upgrade has to keep, in the release that it is upgraded from.

Run by the shell of a checkout of that release, on an empty database, which is then dumped:

    DATABASE_URL=sqlite:////tmp/old.sqlite3 python manage.py shell < …/fill_old_site.py
    sqlite3 /tmp/old.sqlite3 vacuum; xz -9 /tmp/old.sqlite3
    DATABASE_URL=postgresql://…/old python manage.py shell < …/fill_old_site.py
    pg_dump --no-owner --no-privileges --inserts --rows-per-insert=500 old \
        | grep -vE '^.(un)?restrict ' | xz -9 > old.sql.xz
"""

from django.contrib.auth import get_user_model
from django.core.management import call_command
from quizzes.services import taking
from quizzes.services.grading import grade_waiting
from quizzes.services.practising import another_variant, check_item, practise_quiz
from quizzes.services.taking import Save, flag_item, save_draft, start_attempt, submit_attempt

from quizzes.models import ExtraTime, Quiz
from tests.quizzes.answering import answer_everything, right_fields, save, wrong_fields

RULED = "attention-and-transformers"


def student(name):
    # Without a password: only sessions that a test creates log in.
    return get_user_model().objects.create_user(f"{name}@example.org", name=name.title())


def mark():
    while grade_waiting():
        pass


def begin_some(attempt):
    """Save right, wrong, half-typed and unreadable drafts; the rest stays blank."""
    for item in attempt.items.select_related("variant"):
        fields = right_fields(item) if item.position % 3 else wrong_fields(item)
        if item.position in (4, 5):
            fields = {key: "0.1" if n else "½x" for n, key in enumerate(fields)}
        if item.position <= 11:
            save(item, fields, token=f"token-{item.position}")
    flag_item(attempt=attempt, position=2, flagged=True)


def mixed(item):
    return right_fields(item) if item.position % 2 else wrong_fields(item)


def check(attempt, item, token):
    fields = mixed(item)
    save_draft(attempt=attempt, position=item.position, save=Save(fields, item.revision, token))
    check_item(attempt=attempt, position=item.position)


def practise(who, quizzes):
    """Leave items checked right and wrong, in a second variant, half-typed, and waiting."""
    begun = [practise_quiz(student=who, quiz=quiz) for quiz in quizzes]
    items = [list(each.items.select_related("variant").order_by("position")) for each in begun]
    for attempt, its in zip(begun, items, strict=True):
        for item in its[:4]:
            check(attempt, item, "a-token")
    mark()
    for attempt, its in zip(begun, items, strict=True):
        another_variant(attempt=attempt, position=its[1].position)
        save(its[5], mixed(its[5]), token="half")
        check(attempt, its[4], "waits")


def main():
    taking.MAX_DRAWING_SECONDS = 60  # an empty stock takes a busy machine longer than a page may
    call_command("migrate", verbosity=0)
    call_command("load_content")
    quizzes = list(Quiz.objects.filter(published=True).order_by("pk"))
    people = {name: student(name) for name in ("open", "late", "waiting", "marked", "practising")}
    ExtraTime.objects.create(student=people["open"], factor=1.5)
    for quiz in quizzes:
        begin_some(start_attempt(student=people["open"], quiz=quiz))
        done = start_attempt(student=people["marked"], quiz=quiz)
        answer_everything(done, mixed)
        submit_attempt(attempt=done)
    begin_some(start_attempt(student=people["late"], quiz=quizzes[0]))
    mark()
    rule_and_run_class(Quiz.objects.get(slug=RULED), people["open"])
    practise(people["practising"], quizzes)
    # Last, as they are to stay unmarked: one of them is of the regraded quiz.
    for quiz in quizzes[:2]:
        waiting = start_attempt(student=people["waiting"], quiz=quiz)
        ExtraTime.objects.create(student=people["waiting"], attempt=waiting, minutes=5)
        answer_everything(waiting, mixed)
        submit_attempt(attempt=waiting)


def rule_and_run_class(quiz, one):
    try:
        from tests.quizzes.ruling_over import Kind, Scope, rule
    except ImportError:
        return  # there were neither regrades nor classes yet
    slots = list(quiz.slots.order_by("position"))
    rule(quiz, Kind.POINTS, scope=Scope.SLOT, slot=slots[0], values={"points": 3})
    rule(quiz, Kind.VOID, scope=Scope.SLOT, slot=slots[1], values={})
    run_class(quiz, one)


def run_class(quiz, one):
    """Run a class with an exception and a quiz that one member is at and another has finished."""
    from classes.services.courses import create_course

    from accounts.roles import make_instructor
    from classes.models import Membership, Override
    from tests.classes.watched import begin, give

    teacher = student("teacher")
    make_instructor(teacher)
    course = create_course(by=teacher, title="Attention", time_zone="Europe/Vienna", first_day=None)
    other = student("other")
    members = [
        Membership.objects.create(course=course, user=user, role="student", state="active")
        for user in (one, other)
    ]
    assignment = give(course, quiz)
    Override.objects.create(course=course, assignment=assignment, member=members[1], factor=1.5)
    begin_some(begin(assignment, one))
    finished = begin(assignment, other)
    answer_everything(finished, mixed)
    submit_attempt(attempt=finished)
    mark()


main()
