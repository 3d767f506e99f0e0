from django.urls import path

from lessons.machine import views as machine_views
from lessons.pages import views
from lessons.sentences import views as sentence_views

app_name = "lessons"
urlpatterns = [
    path("", views.catalogue, name="catalogue"),
    path("search/", views.find, name="search"),
    path("lessons/<slug:slug>/", views.lesson, name="lesson"),
    path("lessons/<slug:slug>/notebook.ipynb", views.notebook, name="notebook"),
    path("lessons/<slug:slug>/<slug:section>/read/", views.read, name="read"),
    path(
        "lessons/<slug:slug>/<slug:section>/numbers-<key:number>.<slug:file_format>",
        views.numbers,
        name="numbers",
    ),
    path("machine/", machine_views.machine, name="machine"),
    path("sentences/", sentence_views.ask, name="ask"),
    path("sentences/<slug:key>/", sentence_views.sentence, name="sentence"),
    path("images/<slug:name>/<slug:digest>/", views.image, name="image"),
]
