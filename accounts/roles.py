"""Permissions of the roles. A student has none; an administrator is a superuser.

Models of other apps are named, not imported, because accounts is a layer below them.
"""

from django.apps import apps as global_apps
from django.contrib.auth.management import create_permissions
from django.db import DEFAULT_DB_ALIAS

INSTRUCTORS = "Instructors"

AUTHORED_MODELS = {
    "lessons": ("lesson", "section", "word", "lessonimage"),
    "quizzes": ("conceptquestion", "choice", "topic", "quiz", "slot", "writtenproblem"),
}
# Students' work is history: it is read, never changed by hand. `visible_to` limits whose.
READABLE_MODELS = {
    "quizzes": (
        *("attempt", "item", "submission", "answer", "grade", "variant", "report"),
        "ruling",
    )
}
# Lets instructors mark again what needs attention; no form changes a submission.
MARK_AGAIN = ("quizzes", "change_submission")
# Lets them answer students' reports about questions.
ANSWER_REPORTS = ("quizzes", "change_report")
# Lets them regrade, with a reason, at the site's desk.
REGRADE = ("quizzes", "add_ruling")
# Lets them create classes. Inside a class, the membership decides, not permissions.
CREATE_CLASSES = ("classes", "add_course")


def instructor_codenames() -> set[tuple[str, str]]:
    """Return the permissions of an instructor, as (app, codename)."""
    authored = {
        (app, f"{action}_{model}")
        for app, models in AUTHORED_MODELS.items()
        for model in models
        for action in ("add", "change", "delete", "view")
    }
    read = {(app, f"view_{model}") for app, models in READABLE_MODELS.items() for model in models}
    return authored | read | {MARK_AGAIN, ANSWER_REPORTS, REGRADE, CREATE_CLASSES}


def sync_instructors(apps=global_apps, using=DEFAULT_DB_ALIAS, **_):
    """Give the group of instructors exactly its permissions; runs after every `migrate`.

    Models that do not exist yet, half-way through the migrations, are skipped.
    """
    try:
        group_model = apps.get_model("auth", "Group")
        permission_model = apps.get_model("auth", "Permission")
    except LookupError:
        return
    # Django creates an app's permissions on its own post_migrate, which may come after ours.
    for label in {*AUTHORED_MODELS, *READABLE_MODELS, CREATE_CLASSES[0]}:
        if global_apps.is_installed(label):
            create_permissions(
                global_apps.get_app_config(label), verbosity=0, using=using, apps=apps
            )
    wanted = instructor_codenames()
    permissions = permission_model.objects.using(using).select_related("content_type")
    group, _created = group_model.objects.using(using).get_or_create(name=INSTRUCTORS)
    group.permissions.set(
        permission
        for permission in permissions
        if (permission.content_type.app_label, permission.codename) in wanted
    )


def make_instructor(user):
    """Make the user an instructor, who may use the admin."""
    group = user.groups.model.objects.get(name=INSTRUCTORS)
    user.is_staff = True
    user.save(update_fields=["is_staff"])
    user.groups.add(group)
