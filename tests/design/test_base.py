"""The base page of both kinds of templates."""

import re

import pytest
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.contrib.messages.storage.cookie import CookieStorage
from django.template import engines
from django.urls import resolve
from django.utils.translation import override

from design.fragments import render_page

BLOCKS = {
    "title": "The title",
    "description": "What it is",
    "head": "<meta>",
    "main_class": "wide",
    "main": "<p>Text</p>",
    "scripts": "<hr>",
}


def blocks(*names: str) -> str:
    return "".join(f"{{% block {name} %}}{BLOCKS[name]}{{% endblock %}}" for name in names)


@pytest.fixture(params=["visitor", "student", "instructor"])
def request_of(request, rf, django_user_model):
    def made():
        found = rf.get("/")
        found.user = people[request.param]
        found.resolver_match = resolve("/")
        found._messages = CookieStorage(found)
        messages.success(found, "It is done & <b>well</b>.")
        return found

    zone = "Europe/Paris"
    people = {
        "visitor": AnonymousUser(),
        "student": django_user_model(email="s@example.org", name="Ada <&>", time_zone=zone),
        "instructor": django_user_model(email="i@example.org", is_staff=True),
    }
    return made


@pytest.mark.parametrize("language", ["en", "ar"])
@pytest.mark.parametrize("names", [("title", "main"), tuple(BLOCKS)])
def test_it_is_the_same_by_django_and_by_jinja(request_of, language, names, monkeypatch):
    env = engines["jinja2"].env
    by_jinja = env.from_string('{% extends "design/base.html" %}' + blocks(*names))
    by_django = engines["django"].from_string('{% extends "base.html" %}' + blocks(*names))
    others = env.get_template
    known = {"page.html": by_jinja}
    monkeypatch.setattr(env, "get_template", lambda name, *_: known.get(name) or others(name))
    with override(language):
        jinja = render_page(request_of(), "page.html", {}).text
        django = by_django.render({}, request_of())
    token = re.compile(r'(csrfmiddlewaretoken" value=")\w+')
    assert token.sub(r"\1", jinja) == token.sub(r"\1", django)
    assert "It is done &amp; &lt;b&gt;well" in jinja
    assert BLOCKS["main"] in jinja
