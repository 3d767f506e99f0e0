"""The accounts app: who people are and what their role lets them do."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"
