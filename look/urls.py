"""The style guide's address; config includes it on a developer's machine only."""

from django.urls import path

from look.views import styleguide

app_name = "look"
urlpatterns = [path("", styleguide, name="styleguide")]
