"""URLs of classes: under /teach/ for their staff, and for joining and leaving."""

from django.urls import path

from classes import regrades_desk, reports_desk
from classes.analysis import views as analysis_views
from classes.assignments.views import assignments, calendar, exceptions
from classes.courses.views import copying, courses
from classes.gradebook import views as gradebook_views
from classes.history import views as history_views
from classes.people.views import importing, joining, people
from classes.person.views import end_note, person
from classes.watching.views import attempt, watching

app_name = "classes"
urlpatterns = [
    path("teach/", courses.mine, name="teach"),
    path("teach/new/", courses.create, name="create"),
    path("teach/<key:pk>/", assignments.overview, name="overview"),
    path("teach/<key:pk>/people/", people.people, name="people"),
    path("teach/<key:pk>/people/change/", people.change, name="change"),
    path("teach/<key:pk>/people/remove/", people.remove, name="remove"),
    path("teach/<key:pk>/people/take-back/", people.restore, name="take-back"),
    path("teach/<key:pk>/people/add/", importing.paste, name="paste"),
    path("teach/<key:pk>/people/import/", importing.upload, name="upload"),
    path("teach/<key:pk>/people/preview/", importing.preview, name="preview"),
    path("teach/<key:pk>/people/write/", importing.write, name="write"),
    path("teach/<key:pk>/people/<key:member>/", person, name="person"),
    path("teach/<key:pk>/people/<key:member>/notes/<key:note>/end/", end_note, name="end-note"),
    path("teach/<key:pk>/quizzes/", assignments.assignments, name="assignments"),
    path("teach/<key:pk>/quizzes/give/", assignments.assign, name="assign"),
    *[
        path(f"teach/<key:pk>/quizzes/<key:assignment_id>/{address}", view, name=name)
        for address, view, name in (
            ("", assignments.assignment, "assignment"),
            ("rules/", assignments.rules, "rules"),
            ("release/", assignments.release, "release"),
            ("withdraw/", assignments.withdraw, "withdraw"),
            ("for/<key:member>/", assignments.member_settings, "applies"),
            ("figures/", analysis_views.figures, "figures"),
            ("figures/of/<slug:asked>/", analysis_views.question, "figures-question"),
            ("figures/<slug:name>.csv", analysis_views.table, "figures-table"),
            ("gradebook/", gradebook_views.marks, "marks"),
            ("gradebook/<str:layout>/", gradebook_views.marks_file, "marks-file"),
            ("watch/", watching.watch, "watch"),
            ("watch/live/", watching.live, "live"),
            ("watch/done/", watching.done, "done"),
            ("extend/", watching.extend, "extend"),
            ("reopen/", watching.reopen, "reopen"),
            ("hand-in/", watching.hand_in, "hand-in"),
            ("mark-again/", watching.mark_again, "mark-again"),
            ("message/", watching.message_all, "message"),
        )
    ],
    path("teach/<key:pk>/exceptions/", exceptions.exceptions, name="exceptions"),
    path("teach/<key:pk>/exceptions/new/", exceptions.make, name="except"),
    path("teach/<key:pk>/exceptions/<key:override>/", exceptions.change, name="exception"),
    path("teach/<key:pk>/exceptions/<key:override>/end/", exceptions.remove, name="end-exception"),
    path("teach/<key:pk>/joining/", courses.joining, name="joining"),
    path("teach/<key:pk>/settings/", courses.settings, name="settings"),
    path("teach/<key:pk>/copy/", copying.copy, name="copy"),
    path("teach/<key:pk>/archive/", courses.archive, name="archive"),
    path("teach/<key:pk>/history/", history_views.history, name="history"),
    path("teach/<key:pk>/gradebook/", gradebook_views.book, name="gradebook"),
    path(
        "teach/<key:pk>/gradebook/<str:layout>/", gradebook_views.book_file, name="gradebook-file"
    ),
    path("teach/<key:pk>/reports/", reports_desk.reports, name="reports"),
    *[
        path(f"teach/<key:pk>/rulings/{address}", view, name=name)
        for address, view, name in (
            ("", regrades_desk.regrades, "rulings"),
            ("new/", regrades_desk.new_regrade, "new-ruling"),
            ("<key:regrade_id>/", regrades_desk.regrade, "ruling"),
            ("<key:regrade_id>/apply/", regrades_desk.apply_regrade, "apply-ruling"),
            ("<key:regrade_id>/undo/", regrades_desk.undo_regrade, "undo-ruling"),
        )
    ],
    path("teach/<key:pk>/attempts/<key:attempt>/", attempt.attempt, name="attempt"),
    path("join/", joining.enter, name="enter"),
    path("join/<str:code>/", joining.join, name="join"),
    path("calendar/", calendar.calendar, name="calendar"),
    path("calendar/<str:token>.ics", calendar.file, name="calendar-file"),
    path("classes/<key:pk>/leave/", joining.leave, name="leave"),
]
