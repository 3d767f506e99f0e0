"""Templates of the components of every page."""

import re
from pathlib import Path

import pytest
from django import forms
from django.core.validators import MinLengthValidator, RegexValidator
from django.template import Context, Template
from django.test import Client

from design.verdicts import SIGNS
from tests.world import missing_in

TEMPLATES = [
    path
    for folder in ("design", "accounts")
    for path in (Path(__file__).parents[2] / folder / "templates").rglob("*")
    if path.suffix in (".html", ".svg")
]


class Form(forms.Form):
    email = forms.EmailField(
        help_text="Ours alone.", widget=forms.EmailInput(attrs={"placeholder": "Email"})
    )
    nickname = forms.CharField(required=False)
    zone = forms.ChoiceField(required=False, choices=[("", "The site’s"), ("UTC", "UTC")])


def render(text, **context):
    return Template("{% load design %}" + text).render(Context(context))


@pytest.mark.parametrize("kind", SIGNS)
def test_a_verdict_is_a_sign_and_a_word(kind):
    html = render("{% verdict kind %}", kind=kind)
    assert f"verdict-{kind}" in html
    assert f'aria-hidden="true">{SIGNS[kind]}</span>{kind}<' in html


def test_a_mistake_keeps_its_key_to_itself():
    html = render('{% verdict "mistake:forgot_scale" "the scale was forgotten" %}')
    assert "verdict-mistake" in html
    assert "forgot_scale" not in html
    assert "the scale was forgotten" in html


def test_an_unknown_verdict_is_an_authors_error():
    with pytest.raises(KeyError, match="splendid"):
        render('{% verdict "splendid" %}')


def test_a_field_ties_its_help_and_its_error_to_the_input():
    html = render("{% field form.email %}", form=Form({"email": "nobody"}))
    assert 'value="nobody"' in html
    assert 'aria-invalid="true"' in html
    assert 'aria-describedby="id_email_helptext id_email_error"' in html
    assert 'id="id_email_helptext"' in html
    assert 'id="id_email_error"' in html
    assert "placeholder" not in html


def test_what_may_be_left_empty_says_so():
    html = render("{% field form.nickname %}", form=Form())
    assert "(optional)" in html


def test_a_list_that_always_has_a_choice_is_not_called_optional():
    assert "(optional)" not in render("{% field form.zone %}", form=Form())


def test_the_summary_links_each_field_in_trouble_once():
    html = render("{% error_summary form %}", form=Form({"email": ""}))
    assert html.count('href="#id_email"') == 1
    assert "There is a problem" in html
    assert render("{% error_summary form %}", form=Form()).strip() == ""


def test_nothing_is_styled_or_run_inline(subtests):
    """The policy forbids it, so it would silently not work."""
    for path in TEMPLATES:
        with subtests.test(path=path):
            html = path.read_text()
            assert not re.search(r"\sstyle=|<style|\son\w+=", html)
            assert not re.search(r"<script(?![^>]*\ssrc=)", html)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "status"), [("400", 400), ("403", 403), ("404", 404), ("429", 429), ("500", 500)]
)
def test_errors_have_pages_of_ours(name, status):
    html = Template(Path(f"design/templates/{name}.html").read_text()).render(
        Context({"exception": "Resolver404"})
    )
    assert f"{status}</p>" in html
    assert html.count("<h1>") == 1
    assert 'href="/"' in html


@pytest.mark.django_db
def test_a_page_that_is_not_there_helps_on(settings):
    settings.DEBUG = False
    response = Client().get("/lessons/no/such/place/")
    assert response.status_code == 404
    page = response.text
    assert missing_in(page, "Page not found", "/lessons/no/such/place/", "See all lessons") == []


def test_an_error_summary_takes_the_focus_and_names_every_error():
    class Password(forms.Form):
        password = forms.CharField(
            validators=[MinLengthValidator(8), RegexValidator("[a-z]", "Only digits.")]
        )

    page = Template("{% load design %}{% error_summary form %}").render(
        Context({"form": Password({"password": "123"})})
    )

    assert "There are 2 problems" in page
    assert page.count("Password: ") == 2
    assert missing_in(page, "Only digits.", "autofocus") == []


@pytest.mark.django_db
def test_a_stale_form_is_explained():
    response = Client(enforce_csrf_checks=True).post("/accounts/login/", {"login": "ada"})
    assert response.status_code == 403
    assert "This form has expired" in response.text


@pytest.mark.django_db
def test_the_style_guide_shows_staff_everything_in_both_schemes(client, django_user_model):
    client.force_login(django_user_model.objects.create_user("i@example.org", is_staff=True))
    page = client.get("/look/").text
    assert page.count('data-theme="light"') == page.count('data-theme="dark"') == 1
    assert page.count('class="matrix') > 6
    assert all(f"verdict-{kind}" in page for kind in SIGNS if kind != "unreadable")
