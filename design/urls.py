"""The style guide's URL."""

from django.urls import path

from design.views import styleguide

app_name = "design"
urlpatterns = [path("", styleguide, name="styleguide")]
