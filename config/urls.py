"""Every address of the site."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("lessons.urls")),
    path("", include("quizzes.urls")),
    path("accounts/", include("allauth.account.urls")),
    path("admin/", admin.site.urls),
]

if settings.DEBUG:
    urlpatterns.append(path("look/", include("look.urls")))

handler500 = "config.errors.server_error"
