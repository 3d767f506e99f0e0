"""URLs of the letter preferences and of the unsubscribe links."""

from django.urls import path

from outbox import views

app_name = "outbox"
urlpatterns = [
    path("notifications/", views.notifications, name="notifications"),
    path("letters/", views.letters, name="letters"),
    path("letters/off/<str:token>/", views.unsubscribe, name="off"),
]
