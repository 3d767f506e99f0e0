"""Headers: what browsers and proxies may keep, and the browser features that pages may use."""

import pytest
from django.contrib.auth import get_user_model

from tests.each import each

pytestmark = pytest.mark.django_db


@pytest.fixture
def logged_in(client):
    client.force_login(get_user_model().objects.create_user("ada@example.org", "correct horse"))
    return client


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        *(("/attempts/", "no-store"), ("/accounts/email/", "no-store")),
        *(("/accounts/password/change/", "no-store"), ("/accounts/sessions/", "no-store")),
        *(("/practice/", "no-cache"), ("/search/?q=a", "no-cache"), ("/", "no-cache")),
    ],
)
def test_no_cache_keeps_one_persons_page_for_another(logged_in, path, kept):
    answer = logged_in.get(path)

    assert answer.status_code == 200
    assert {"private", kept} <= set(answer["Cache-Control"].split(", "))


@each("path", ["/", "/accounts/login/", "/no/such/page"])
def test_pages_may_ask_for_no_camera_and_be_embedded_nowhere(client, path):
    answer = client.get(path)
    assert "camera=()" in answer["Permissions-Policy"]
    assert answer["Cross-Origin-Resource-Policy"] == "same-origin"


@each(
    "kind",
    [
        "application/x-www-form-urlencoded; charset=utf-7",
        "multipart/form-data; boundary=a; charset=utf-7",
        "text/plain; charset=utf-16",
    ],
)
@each("path", ["/accounts/login/", "/accounts/signup/", "/search/?q=%2B2AA-"])
def test_a_text_in_another_encoding_is_no_error_of_ours(client, kind, path):
    body = b'--a\r\nContent-Disposition: form-data; name="login"\r\n\r\n+2AA-\r\n--a--\r\n'

    assert client.post(path, body, content_type=kind).status_code < 500
    assert client.generic("GET", path, CONTENT_TYPE=kind).status_code < 500
