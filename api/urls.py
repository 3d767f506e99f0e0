"""URLs of the API and of the pages for its tokens."""

from django.urls import path, re_path

from api import errors, views
from api.v1 import api

app_name = "api"
urlpatterns = [
    path("teach/tokens/", views.tokens, name="tokens"),
    path("teach/tokens/new/", views.make, name="make-token"),
    path("teach/tokens/<key:pk>/revoke/", views.revoke, name="revoke-token"),
    path("api/", views.reference, name="reference"),
    path("api/v1/", api.urls),
    re_path("^api/", errors.handle_not_found, name="nowhere"),
]
