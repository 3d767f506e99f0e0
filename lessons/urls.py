from django.urls import path

from lessons import views

app_name = "lessons"
urlpatterns = [
    path("", views.catalogue, name="catalogue"),
    path("lessons/<slug:slug>/", views.lesson, name="lesson"),
]
