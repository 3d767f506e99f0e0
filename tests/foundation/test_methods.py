"""Methods that an address does not take are refused in plain words, token or not."""

import re

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.test import Client
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt

from foundation.methods import allow_methods, conditional_page

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("method", ["put", "delete", "patch"])
def test_no_page_takes_other_methods(method):
    answer = getattr(Client(enforce_csrf_checks=True), method)("/accounts/login/")
    assert answer.status_code == 405
    assert f"doesn’t accept {method.upper()}" in answer.text
    assert "GET" in answer["Allow"]


@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/password/reset/", "/admin/"])
def test_a_token_lets_no_other_method_pass(path):
    """The library allauth takes a PUT for a POST, and Django's admin takes anything for a GET."""
    client, token = Client(enforce_csrf_checks=True), "a" * 32
    client.cookies[settings.CSRF_COOKIE_NAME] = token
    answer = client.put(path, headers={"X-CSRFToken": token})
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD, POST")


@pytest.mark.parametrize("path", ["/", "/search/", "/practice/", "/lessons/any/"])
def test_a_page_that_only_shows_takes_no_form(path):
    answer = Client(enforce_csrf_checks=True).post(path)
    assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD")
    assert "Nothing has been changed" in answer.text


@allow_methods("GET", "POST")
def takes_a_form(request):
    return HttpResponse()


urlpatterns = [
    path("guarded/", takes_a_form),
    path("exempt-around/", csrf_exempt(takes_a_form)),
    path("exempt-within/", allow_methods("POST")(csrf_exempt(lambda request: HttpResponse()))),
    path("", include("config.urls")),  # for the page that refuses
]


@pytest.mark.urls(__name__)
@pytest.mark.parametrize(
    ("address", "status"), [("guarded", 403), ("exempt-around", 200), ("exempt-within", 200)]
)
def test_a_form_without_a_token_is_taken_only_where_the_view_says_so(address, status):
    assert Client(enforce_csrf_checks=True).post(f"/{address}/").status_code == status


TEMPLATES = [
    template
    for app in ("accounts", "classes", "design", "lessons", "quizzes")
    for template in (settings.BASE_DIR / app / "templates").rglob("*.html")
]
_POSTED = re.compile(r"<form\b[^>]*\bmethod=\"post\".*?</form>", re.DOTALL)


def test_every_form_that_is_posted_carries_a_token_but_that_of_a_sentence():
    """The sentence's form is on cached pages; the style guide's leads nowhere."""
    without = {
        template.name
        for template in TEMPLATES
        for form in _POSTED.findall(template.read_text())
        if "{% csrf_token %}" not in form
    }
    assert without == {"_sentence_form.html", "styleguide.html"}


@conditional_page
def with_a_form(request):
    return HttpResponse(get_token(request))


@conditional_page
def without(request):
    return HttpResponse("the same for all")


def test_a_page_without_a_form_is_not_sent_again(rf):
    again = {"If-None-Match": without(rf.get("/"))["ETag"]}
    assert without(rf.get("/", headers=again)).status_code == 304


def test_a_page_with_a_form_is_no_other_page_to_a_browser(rf):
    answer = with_a_form(rf.get("/"))
    assert answer.status_code == 200
    assert "ETag" not in answer
