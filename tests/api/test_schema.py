"""The published schema of the API, and whether its answers conform to it."""

import json
from functools import cache

import hypothesis
import pytest
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck

from api.management.commands.write_openapi import FILE, schema_as_text
from api.services import create_token
from api.v1 import api
from tests.each import each

pytestmark = pytest.mark.django_db

# Enough of each kind to try every parameter with right, wrong, missing and odd values.
EXAMPLES = 15
SCHEMA = json.loads(FILE.read_text())
EVERY = [(method.upper(), path) for path, found in SCHEMA["paths"].items() for method in found]


def test_the_schema_that_is_committed_is_the_apis():
    assert FILE.read_text() == schema_as_text(), (
        "The API has changed: make openapi, and read the diff."
    )


def test_it_is_published_and_open_to_all(client):
    assert client.get("/api/v1/openapi.json").json() == SCHEMA


def test_the_description_is_made_once():
    """Making it takes a twelfth of a second, and anybody may request it."""
    assert api.get_openapi_schema() is api.get_openapi_schema()


def test_every_address_and_every_object_is_described():
    operations = [each for found in SCHEMA["paths"].values() for each in found.values()]
    assert [each["operationId"] for each in operations if not each.get("description")] == []
    objects = SCHEMA["components"]["schemas"].items()
    undescribed = [name for name, each in objects if not each.get("description")]
    assert [name for name in undescribed if not name.startswith("Page_")] == []


@pytest.fixture
def _one_connection():
    """Keep the connection open after requests, as Django's client does.

    The end of a request would otherwise lose the test's rows.
    """
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)


@cache
def published():
    """Return the schema as Schemathesis reads it, which takes each process a second to import."""
    import schemathesis

    return schemathesis.openapi.from_wsgi("/api/v1/openapi.json", get_wsgi_application())


@pytest.mark.usefixtures("_one_connection")
@pytest.mark.parametrize(
    "mode",
    [
        pytest.param("positive", id="right"),
        pytest.param("negative", id="wrong", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize(
    "scope",
    [
        pytest.param("exceptions", id="with a token", marks=pytest.mark.slow),
        pytest.param("", id="without"),
    ],
)
@each("asked", EVERY)
def test_whatever_is_asked_the_answer_keeps_to_the_schema(
    ines, course, marked_attempts, exception, asked, mode, scope
):
    """Ids belong to existing objects where possible; otherwise most answers would be 404."""
    from schemathesis import GenerationMode
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    method, path = asked
    there = {
        "class_id": course.pk,
        "attempt_id": marked_attempts[1].pk,
        "exception_id": exception.pk,
    }
    there |= {"quiz_id": marked_attempts[1].quiz_id, "key": "softmax_row"}
    headers = {}
    if scope:
        secret = create_token(owner=ines, name="N", scope=scope, course=None, days=1)[1]
        headers = {"Authorization": f"Bearer {secret}"}
    operation = published()[path][method]
    met = set()

    @hypothesis.given(case=operation.as_strategy(generation_mode=GenerationMode(mode)))
    @hypothesis.settings(
        max_examples=EXAMPLES if scope else 5,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    def ask(case):
        if mode == "positive":
            for name in case.path_parameters:
                case.path_parameters[name] = there[name]
        # A schema cannot describe what two fields mean together, or which ids exist.
        answer = case.call_and_validate(headers=headers, excluded_checks=[positive_data_acceptance])
        met.add(answer.status_code)

    with transaction.atomic():
        ask()
        transaction.set_rollback(True)
    if not scope:
        assert met == {401}
    elif mode == "positive" and method == "GET":
        assert 200 in met
