"""URLs of quizzes and attempts."""

from django.urls import path

from quizzes.certificates import views as certificate
from quizzes.delivery.views import attempt as delivery_attempt
from quizzes.delivery.views import quiz as delivery_quiz
from quizzes.delivery.views import reporting
from quizzes.delivery.views.attempt import flag, save, status, submit
from quizzes.delivery.views.quiz import quizzes, start
from quizzes.home.views import home
from quizzes.home.views.attempts import mine
from quizzes.marking.views import results, review_of_student
from quizzes.practice.views import guest, practice, spaced_review
from quizzes.regrades import views as regrades
from quizzes.reports import views as reports

app_name = "quizzes"
urlpatterns = [
    path("quizzes/", quizzes, name="quizzes"),
    path("quizzes/<slug:slug>/", delivery_quiz.quiz, name="quiz"),
    path("quizzes/<slug:slug>/start/", start, name="start"),
    path("quizzes/<slug:slug>/<key:sitting>/", delivery_quiz.quiz, name="sitting"),
    path("quizzes/<slug:slug>/<key:sitting>/start/", start, name="start-sitting"),
    path("quizzes/<slug:slug>/practise/", practice.start_quiz, name="practise"),
    path("practice/", practice.skills, name="skills"),
    path("practice/<key:pk>/", practice.practice, name="practice"),
    path("practice/<key:pk>/<key:position>/", practice.item, name="practice-item"),
    path("practice/<key:pk>/<key:position>/status/", practice.status, name="practice-status"),
    path("practice/<slug:of>/<slug:key>/", practice.skill, name="skill"),
    path("try/", guest.try_out, name="try"),
    path("learning/", home.home, name="home"),
    path("learning/mistakes/", spaced_review.mistakes, name="mistakes"),
    path("today/", spaced_review.today, name="today"),
    path("formulas/", spaced_review.formulas, name="formulas"),
    path("attempts/", mine, name="mine"),
    path("attempts/<key:pk>/", delivery_attempt.attempt, name="attempt"),
    path("attempts/<key:pk>/items/<key:position>/draft/", save, name="save"),
    path("attempts/<key:pk>/items/<key:position>/flag/", flag, name="flag"),
    path("attempts/<key:pk>/items/<key:position>/report/", reporting.report, name="report"),
    path("attempts/<key:pk>/submit/", submit, name="submit"),
    path("attempts/<key:pk>/results/", results, name="results"),
    path("attempts/<key:pk>/practise/", practice.mistakes, name="practise-mistakes"),
    path("attempts/<key:pk>/review/", review_of_student, name="review"),
    path("attempts/<key:pk>/status/", status, name="status"),
    path("attempts/<key:pk>/certificate/", certificate.certificate, name="certificate"),
    path("attempts/<key:pk>/certificate/withdraw/", certificate.withdraw, name="withdraw"),
    path("certificates/<slug:token>/", certificate.page, name="certificate-page"),
    path("reports/", reports.reports, name="reports"),
    path("rulings/", regrades.regrades, name="rulings"),
    path("rulings/new/", regrades.new_regrade, name="new-ruling"),
    path("rulings/<key:regrade_id>/", regrades.regrade, name="ruling"),
    path("rulings/<key:regrade_id>/apply/", regrades.apply_regrade, name="apply-ruling"),
    path("rulings/<key:regrade_id>/undo/", regrades.undo_regrade, name="undo-ruling"),
]
