"""Addresses of quizzes and attempts."""

app_name = "quizzes"
urlpatterns: list = []
