"""A new release goes out while students write, and every acknowledged save survives."""

import http.client
import json
import signal
import threading
import time
from contextlib import ExitStack

import pytest
from django.conf import settings
from django.test import Client
from django.utils.crypto import get_random_string

from quizzes.models import Item
from quizzes.problems.answers import fields_of
from tests.operations.serving import web_server
from tests.processes import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
WRITERS, ROUNDS = 4, 5


class Writer(threading.Thread):
    """A thread that saves answers as the page's script does, repeating each until it is stored."""

    def __init__(self, servers, attempt, item, cookies):
        super().__init__()
        self.servers, self.item, self.cookies = servers, item, cookies
        self.path = f"/attempts/{attempt.pk}/items/{item.position}/draft/"
        self.field = next(iter(fields_of(item.shown)))
        self.revision, self.text, self.statuses = 0, "", []
        self.unheard = 0
        self.stopped = threading.Event()

    def run(self):
        number = 0
        while not self.stopped.is_set():
            number += 1
            while not self.keep(str(number)) and not self.stopped.is_set():
                time.sleep(0.05)

    def keep(self, text):
        """Return whether a server acknowledged the text; try the next server as a proxy would."""
        body = {"revision": self.revision, "token": f"save-{text}", "fields": {self.field: text}}
        for server in list(self.servers):
            try:
                status, answer = self.post(server, json.dumps(body))
            except (OSError, http.client.HTTPException):
                self.unheard += 1
                continue
            self.statuses.append(status)
            if status == 200:
                self.revision, self.text = json.loads(answer)["revision"], text
            return status == 200
        return False

    def post(self, server, body):
        connection = http.client.HTTPConnection(server.removeprefix("http://"), timeout=30)
        try:
            headers = {
                "Content-Type": "application/json",
                "X-CSRFToken": self.cookies[settings.CSRF_COOKIE_NAME],
                "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            }
            connection.request("POST", self.path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()


@pytest.fixture
def writers(student, attempt):
    client = Client()
    client.force_login(student)
    cookies = {
        settings.SESSION_COOKIE_NAME: client.session.session_key,
        settings.CSRF_COOKIE_NAME: get_random_string(32),
    }
    servers = []
    items = Item.objects.filter(attempt=attempt, variant__isnull=False)[:WRITERS]
    made = [Writer(servers, attempt, item, cookies) for item in items]
    yield servers, made
    for writer in made:
        writer.stopped.set()
        if writer.is_alive():
            writer.join(30)


def write_while(writers, deploy):
    for writer in writers:
        writer.start()
    wait_until(lambda: all(len(writer.statuses) > ROUNDS for writer in writers), 60, "saves")
    deploy()
    after = [len(writer.statuses) for writer in writers]
    go_on = [(writer, n + ROUNDS) for writer, n in zip(writers, after, strict=True)]
    wait_until(lambda: all(len(writer.statuses) > n for writer, n in go_on), 60, "more saves")
    for writer in writers:
        writer.stopped.set()
        writer.join(30)


def nothing_is_lost(writers):
    answered = {status for writer in writers for status in writer.statuses}
    assert 200 in answered
    assert answered <= {200, 503}
    for writer in writers:
        item = Item.objects.get(pk=writer.item.pk)
        # The last save may have been stored without an acknowledgement.
        assert int(item.draft[writer.field]) in (int(writer.text), int(writer.text) + 1)
        assert item.revision >= writer.revision


@pytest.mark.slow
@pytest.mark.service
def test_a_web_server_that_begins_anew_loses_no_acknowledged_save(writers, group, tmp_path):
    servers, writing = writers
    with web_server(group, tmp_path, WEB_CONCURRENCY="2") as (url, process):
        servers.append(url)

        def reload():
            process.send(signal.SIGHUP)
            wait_until(lambda: "Handling signal: hup" in process.log.read_text(), what="it")

        write_while(writing, reload)
    nothing_is_lost(writing)
    # Its socket stays open all the time.
    assert sum(writer.unheard for writer in writing) == 0
    assert process.log.read_text().count("Booting worker") == 4


@pytest.mark.slow
def test_a_second_instance_takes_over_from_the_first(writers, group, tmp_path):
    servers, writing = writers
    with ExitStack() as stack:
        folders = [tmp_path / name for name in ("old", "new")]
        for folder in folders:
            folder.mkdir()
        url, old = stack.enter_context(web_server(group, folders[0], WEB_CONCURRENCY="1"))
        servers.append(url)

        def take_over():
            servers.append(stack.enter_context(web_server(group, folders[1]))[0])
            old.stop()

        write_while(writing, take_over)
        assert not old.alive
    nothing_is_lost(writing)
