"""What an address does not take is said in plain words, token or not."""

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("method", ["put", "delete", "patch"])
@pytest.mark.parametrize("path", ["/", "/accounts/login/", "/practice/family/cosine/"])
def test_no_page_takes_other_methods(method, path):
    answer = getattr(Client(enforce_csrf_checks=True), method)(path)
    assert answer.status_code == 405
    assert f"cannot be asked for with {method.upper()}" in answer.content.decode()
    assert "GET" in answer["Allow"]


@pytest.mark.parametrize("path", ["/", "/search/", "/practice/", "/lessons/any/"])
def test_a_page_that_only_shows_takes_no_form(path):
    answer = Client(enforce_csrf_checks=True).post(path)
    assert answer.status_code == 405
    assert answer["Allow"] == "GET, HEAD"
    assert "Nothing has been done" in answer.content.decode()
