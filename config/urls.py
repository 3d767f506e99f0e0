"""The site's root URLconf."""

from django.conf import settings
from django.contrib import admin
from django.contrib.sitemaps.views import sitemap
from django.urls import include, path, re_path, register_converter
from django.views.generic import TemplateView

from config.static_files import import_all
from foundation.keys import KeyConverter
from foundation.methods import allow_methods
from lessons.pages.sitemaps import LessonSitemap
from quizzes.sitemaps import QuizSitemap

# Before any URL is parsed: <key:pk> names a row, where `int` would take a number of any size.
register_converter(KeyConverter, "key")

SITEMAPS = {"lessons": LessonSitemap, "quizzes": QuizSitemap}

urlpatterns = [
    path("", include("lessons.urls")),
    path("", include("quizzes.urls")),
    path("", include("api.urls")),
    path("", include("classes.urls")),
    path("", include("outbox.urls")),
    path("look/", include("design.urls")),
    path("accounts/", include("accounts.urls")),
    path("accounts/", include("allauth.account.urls")),
    path("accounts/two-steps/", include("allauth.mfa.urls")),
    path("accounts/sessions/", include("allauth.usersessions.urls")),
    path("admin/", admin.site.urls),
    path("sitemap.xml", allow_methods("GET")(sitemap), {"sitemaps": SITEMAPS}, name="sitemap"),
    path("robots.txt", TemplateView.as_view(template_name="robots.txt", content_type="text/plain")),
]

if settings.DEBUG:
    urlpatterns += [re_path(r"^static/(?P<folder>[\w/-]+)/\*(?P<suffix>\.css|\.js)$", import_all)]

handler500 = "config.errors.server_error"
