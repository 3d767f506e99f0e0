"""Addresses of quizzes and attempts."""

from django.urls import path

from quizzes.views import home, practising, taking

app_name = "quizzes"
urlpatterns = [
    path("quizzes/<slug:slug>/", taking.quiz, name="quiz"),
    path("quizzes/<slug:slug>/start/", taking.start, name="start"),
    path("quizzes/<slug:slug>/practise/", practising.start_quiz, name="practise"),
    path("practice/", practising.skills, name="skills"),
    path("practice/<int:pk>/", practising.practice, name="practice"),
    path("practice/<int:pk>/<int:position>/", practising.item, name="practice-item"),
    path("practice/<int:pk>/<int:position>/status/", practising.status, name="practice-status"),
    path("practice/<slug:kind>/<slug:key>/", practising.skill, name="skill"),
    path("learning/", home.home, name="home"),
    path("attempts/", taking.mine, name="mine"),
    path("attempts/<int:pk>/", taking.attempt, name="attempt"),
    path("attempts/<int:pk>/items/<int:position>/draft/", taking.save, name="save"),
    path("attempts/<int:pk>/items/<int:position>/flag/", taking.flag, name="flag"),
    path("attempts/<int:pk>/submit/", taking.submit, name="submit"),
    path("attempts/<int:pk>/results/", taking.results, name="results"),
    path("attempts/<int:pk>/status/", taking.status, name="status"),
]
