"""Addresses of what allauth has no page for."""

from django.urls import path

from accounts import views

urlpatterns = [
    path("", views.account, name="account"),
    path("data/", views.data, name="account_data"),
    path("data/file/", views.file, name="account_data_file"),
    path("delete/", views.delete, name="account_delete"),
    path("time-zone/", views.time_zone, name="account_time_zone"),
]
