"""The look app: the design system that every page is set in."""

from django.apps import AppConfig


class LookConfig(AppConfig):
    name = "look"
