"""The design app: the design system that every page is set in."""

from django.apps import AppConfig


class DesignConfig(AppConfig):
    name = "design"
