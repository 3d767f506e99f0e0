"""Addresses of quizzes and attempts."""

from django.urls import path

from quizzes import views

app_name = "quizzes"
urlpatterns = [
    path("quizzes/<slug:slug>/", views.quiz, name="quiz"),
    path("quizzes/<slug:slug>/start/", views.start, name="start"),
    path("attempts/", views.mine, name="mine"),
    path("attempts/<int:pk>/", views.attempt, name="attempt"),
    path("attempts/<int:pk>/items/<int:position>/draft/", views.save, name="save"),
    path("attempts/<int:pk>/submit/", views.submit, name="submit"),
    path("attempts/<int:pk>/results/", views.results, name="results"),
    path("attempts/<int:pk>/status/", views.status, name="status"),
]
