"""Bodies that are too large are refused unread; only staff upload files."""

import pytest
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile

from config.body_limit import MAX_BYTES, MAX_LIST_BYTES, MAX_STAFF_BYTES

pytestmark = pytest.mark.django_db


def unread(*_: object) -> object:
    raise AssertionError("the body was read")


def post(client, path, size):
    class Body:
        read = readline = staticmethod(unread)

    length = {"CONTENT_LENGTH": str(size), "CONTENT_TYPE": "multipart/form-data; boundary=a"}
    return client.generic("POST", path, **length, **{"wsgi.input": Body()})


@pytest.mark.parametrize("path", ["/accounts/login/", "/admin/", "/sentences/", "/no/such/page"])
@pytest.mark.parametrize("size", [MAX_BYTES + 1, 10**12, 10**40])
def test_nobody_fills_the_disk(client, path, size):
    assert post(client, path, size).status_code == 413


def test_staff_bring_files_to_the_admin_alone(client):
    ada = get_user_model().objects.create_superuser("ada@example.org", "correct horse")
    client.force_login(ada)
    file = SimpleUploadedFile("a.zip", b"a" * (MAX_BYTES + 1))

    assert client.post("/admin/", {"file": file}).status_code != 413
    assert post(client, "/accounts/login/", MAX_BYTES + 1).status_code == 413
    assert post(client, "/admin/", MAX_STAFF_BYTES + 1).status_code == 413


def test_whoever_is_logged_in_brings_a_list_of_people_to_a_class_alone(client):
    assert post(client, "/teach/1/people/import/", MAX_BYTES + 1).status_code == 413
    client.force_login(get_user_model().objects.create_user("ann@example.org"))
    file = SimpleUploadedFile("a.csv", b"a" * (MAX_BYTES + 1))

    assert client.post("/teach/1/people/import/", {"file": file}).status_code == 404
    assert post(client, "/learning/", MAX_BYTES + 1).status_code == 413
    assert post(client, "/teach/1/people/import/", MAX_LIST_BYTES + 1).status_code == 413


def test_a_small_body_never_reaches_the_disk(settings):
    assert settings.FILE_UPLOAD_MAX_MEMORY_SIZE > MAX_BYTES
