"""Addresses of quizzes and attempts."""

from django.urls import path

from quizzes.views import (
    attempt,
    certificate,
    home,
    practice,
    quiz,
    reporting,
    reports,
    review,
    rulings,
    trying,
)

app_name = "quizzes"
urlpatterns = [
    path("quizzes/<slug:slug>/", quiz.quiz, name="quiz"),
    path("quizzes/<slug:slug>/start/", quiz.start, name="start"),
    path("quizzes/<slug:slug>/<int:sitting>/", quiz.quiz, name="sitting"),
    path("quizzes/<slug:slug>/<int:sitting>/start/", quiz.start, name="start-sitting"),
    path("quizzes/<slug:slug>/practise/", practice.start_quiz, name="practise"),
    path("practice/", practice.skills, name="skills"),
    path("practice/<int:pk>/", practice.practice, name="practice"),
    path("practice/<int:pk>/<int:position>/", practice.item, name="practice-item"),
    path("practice/<int:pk>/<int:position>/status/", practice.status, name="practice-status"),
    path("practice/<slug:of>/<slug:key>/", practice.skill, name="skill"),
    path("try/", trying.try_out, name="try"),
    path("learning/", home.home, name="home"),
    path("learning/mistakes/", review.mistakes, name="mistakes"),
    path("today/", review.today, name="today"),
    path("formulas/", review.formulas, name="formulas"),
    path("attempts/", quiz.mine, name="mine"),
    path("attempts/<int:pk>/", attempt.attempt, name="attempt"),
    path("attempts/<int:pk>/items/<int:position>/draft/", attempt.save, name="save"),
    path("attempts/<int:pk>/items/<int:position>/flag/", attempt.flag, name="flag"),
    path("attempts/<int:pk>/items/<int:position>/report/", reporting.report, name="report"),
    path("attempts/<int:pk>/submit/", attempt.submit, name="submit"),
    path("attempts/<int:pk>/results/", attempt.results, name="results"),
    path("attempts/<int:pk>/practise/", practice.mistakes, name="practise-mistakes"),
    path("attempts/<int:pk>/review/", attempt.of_student, name="review"),
    path("attempts/<int:pk>/status/", attempt.status, name="status"),
    path("attempts/<int:pk>/certificate/", certificate.certificate, name="certificate"),
    path("attempts/<int:pk>/certificate/withdraw/", certificate.withdraw, name="withdraw"),
    path("certificates/<slug:token>/", certificate.page, name="certificate-page"),
    path("reports/", reports.reports, name="reports"),
    path("rulings/", rulings.rulings, name="rulings"),
    path("rulings/new/", rulings.new_ruling, name="new-ruling"),
    path("rulings/<int:ruling>/", rulings.ruling, name="ruling"),
    path("rulings/<int:ruling>/apply/", rulings.apply_ruling, name="apply-ruling"),
    path("rulings/<int:ruling>/undo/", rulings.undo_ruling, name="undo-ruling"),
]
