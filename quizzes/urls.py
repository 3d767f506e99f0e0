"""URLs of quizzes and attempts."""

from django.urls import path

from quizzes.certificates import views as certificate_views
from quizzes.delivery.views import attempt, quiz, reporting
from quizzes.home.views import attempts, home
from quizzes.marking.views import results, review_of_student
from quizzes.practice.views import guest, practice, spaced_review
from quizzes.regrades import views as regrade_views
from quizzes.reports import views as report_views

app_name = "quizzes"
urlpatterns = [
    path("quizzes/", quiz.quizzes, name="quizzes"),
    path("quizzes/<slug:slug>/", quiz.quiz, name="quiz"),
    path("quizzes/<slug:slug>/start/", quiz.start, name="start"),
    path("quizzes/<slug:slug>/<key:sitting>/", quiz.quiz, name="sitting"),
    path("quizzes/<slug:slug>/<key:sitting>/start/", quiz.start, name="start-sitting"),
    path("quizzes/<slug:slug>/practise/", practice.start_quiz, name="practise"),
    path("practice/", practice.skills, name="skills"),
    path("practice/<key:pk>/", practice.practice, name="practice"),
    path("practice/<key:pk>/<key:position>/", practice.item, name="practice-item"),
    path("practice/<key:pk>/<key:position>/status/", practice.status, name="practice-status"),
    path("practice/<slug:of>/<slug:key>/", practice.skill, name="skill"),
    path("try/", guest.try_out, name="try"),
    path("exercises/<slug:slug>/<slug:section>/", guest.exercise, name="exercise"),
    path("learning/", home.home, name="home"),
    path("learning/mistakes/", spaced_review.mistakes, name="mistakes"),
    path("today/", spaced_review.today, name="today"),
    path("formulas/", spaced_review.formulas, name="formulas"),
    path("attempts/", attempts.mine, name="mine"),
    path("attempts/<key:pk>/", attempt.attempt, name="attempt"),
    path("attempts/<key:pk>/items/<key:position>/draft/", attempt.save, name="save"),
    path("attempts/<key:pk>/items/<key:position>/flag/", attempt.flag, name="flag"),
    path("attempts/<key:pk>/items/<key:position>/report/", reporting.report, name="report"),
    path("attempts/<key:pk>/submit/", attempt.submit, name="submit"),
    path("attempts/<key:pk>/results/", results, name="results"),
    path("attempts/<key:pk>/practise/", practice.mistakes, name="practise-mistakes"),
    path("attempts/<key:pk>/review/", review_of_student, name="review"),
    path("attempts/<key:pk>/status/", attempt.status, name="status"),
    path("attempts/<key:pk>/certificate/", certificate_views.certificate, name="certificate"),
    path("attempts/<key:pk>/certificate/withdraw/", certificate_views.withdraw, name="withdraw"),
    path("certificates/<slug:token>/", certificate_views.page, name="certificate-page"),
    path("reports/", report_views.reports, name="reports"),
    path("rulings/", regrade_views.regrades, name="rulings"),
    path("rulings/new/", regrade_views.new_regrade, name="new-ruling"),
    path("rulings/<key:regrade_id>/", regrade_views.regrade, name="ruling"),
    path("rulings/<key:regrade_id>/apply/", regrade_views.apply_regrade, name="apply-ruling"),
    path("rulings/<key:regrade_id>/undo/", regrade_views.undo_regrade, name="undo-ruling"),
]
