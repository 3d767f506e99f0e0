"""Many students who have all done what one of them did, by few statements."""

from classes.models import Membership
from quizzes.models import Answer, Attempt, Grade, Item, Submission
from tests.classes.conftest import account


def copied(rows, **changed):
    """The same rows once more, with what is changed."""
    made = []
    for row in rows:
        fields = {each.attname: getattr(row, each.attname) for each in row._meta.concrete_fields}
        fields.pop("id")
        made.append(type(row)(**(fields | {key: of(row) for key, of in changed.items()})))
    return type(rows[0]).objects.bulk_create(made)


def do_the_same(course, attempt, count, section="", called="Many"):
    """So many new students, each with a marked attempt that is a copy of this one."""
    items = list(Item.objects.filter(attempt=attempt).order_by("position"))
    submissions = list(Submission.objects.filter(attempt=attempt).order_by("number"))
    answers = list(Answer.objects.filter(item__attempt=attempt).order_by("pk"))
    grades = list(Grade.objects.filter(answer__in=answers).order_by("pk"))
    made = []
    for number in range(count):
        user = account(f"{section}{called}{number:03}{attempt.pk}")
        Membership.objects.create(course=course, user=user, role="student", section=section)
        [own] = copied([attempt], student_id=lambda _row, pk=user.pk: pk)
        new = dict(zip((row.pk for row in items), copied(items, attempt_id=_of(own)), strict=True))
        handed = copied(submissions, attempt_id=_of(own))
        new_handed = dict(zip((row.pk for row in submissions), handed, strict=True))
        given = copied(
            answers,
            item_id=lambda row, new=new: new[row.item_id].pk,
            submission_id=lambda row, new=new_handed: new[row.submission_id].pk,
        )
        new_answers = dict(zip((row.pk for row in answers), given, strict=True))
        copied(grades, answer_id=lambda row, new=new_answers: new[row.answer_id].pk)
        made.append(Attempt.objects.get(pk=own.pk))
    return made


def _of(attempt):
    return lambda _row: attempt.pk
