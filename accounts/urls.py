"""URLs of pages that allauth lacks or that replace its own."""

from django.urls import path, re_path

from accounts import views
from accounts.confirming import ConfirmView

urlpatterns = [
    # Replaces allauth's.
    re_path(
        r"^confirm-email/(?P<key>[-:\w]+)/$", ConfirmView.as_view(), name="account_confirm_email"
    ),
    path("", views.account, name="account"),
    path("privacy/", views.privacy, name="account_privacy"),
    path("data/", views.data, name="account_data"),
    path("data/file/", views.file, name="account_data_file"),
    path("delete/", views.delete, name="account_delete"),
    path("time-zone/", views.time_zone, name="account_time_zone"),
]
