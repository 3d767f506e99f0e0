from django.urls import path

from lessons.machine import views as machine_views
from lessons.pages import views as page_views
from lessons.sentences import views as sentence_views

app_name = "lessons"
urlpatterns = [
    path("", page_views.catalogue, name="catalogue"),
    path("search/", page_views.find, name="search"),
    path("lessons/", page_views.lessons, name="lessons"),
    path("lessons/<slug:slug>/", page_views.lesson, name="lesson"),
    path("lessons/<slug:slug>/notebook.ipynb", page_views.notebook, name="notebook"),
    path("lessons/<slug:slug>/<slug:section>/read/", page_views.read, name="read"),
    path(
        "lessons/<slug:slug>/<slug:section>/numbers-<key:number>.<slug:file_format>",
        page_views.numbers,
        name="numbers",
    ),
    path("machine/", machine_views.machine, name="machine"),
    path("sentences/", sentence_views.ask, name="ask"),
    path("sentences/<slug:key>/", sentence_views.sentence, name="sentence"),
    path("images/<slug:name>/<slug:digest>/", page_views.image, name="image"),
]
