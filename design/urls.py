"""The style guide's URL; config includes it on a developer's machine only."""

from django.urls import path

from design.views import styleguide

app_name = "design"
urlpatterns = [path("", styleguide, name="styleguide")]
