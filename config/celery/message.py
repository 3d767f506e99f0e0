"""What a message may be: a task's name, its id, when it expires and which request rang.

A doorbell carries no more.

Celery believes whatever else a message says of itself (limits of time, who gets an answer, how its
body is packed) and raises where that is odd. So a message is not checked and passed on: its three
texts are read, and a new one is made of them.
"""

import base64
import json
import re
from datetime import datetime
from typing import Any
from uuid import uuid4

# In which django-structlog sends what both ends log.
LOGGED = "__django_structlog__"
LONGEST = 4096  # characters of a body; ours have a hundred
_NAME = re.compile(r"[A-Za-z_][\w.]{0,199}")
_ID = re.compile(r"[\w-]{1,64}")
# No arguments, by place or by name; then Celery's own word for: nothing is to follow.
_NO_ARGUMENTS = [[], {}]
_NOTHING_FOLLOWS = dict.fromkeys(("callbacks", "errbacks", "chain", "chord"))
_BODY = base64.b64encode(json.dumps([*_NO_ARGUMENTS, _NOTHING_FOLLOWS]).encode()).decode()


def made_anew(message: Any, queue: str) -> dict[str, Any]:
    """The message made anew, as it is put into this queue.

    Raises:
        Exception: it is no doorbell. What is raised depends on how it is odd.
    """
    sent = message["headers"]
    headers = {
        "task": _text(_NAME, sent["task"]),
        "id": _text(_ID, sent["id"]),
        "expires": _moment(sent.get("expires")),
    }
    if (rang := sent.get(LOGGED, {}).get("request_id")) is not None:
        headers[LOGGED] = {"request_id": _text(_ID, rang)}
    if sent.get("eta") is not None or _body(message) != [*_NO_ARGUMENTS, _NOTHING_FOLLOWS]:
        raise ValueError("it carries something")
    return {
        "body": _BODY,
        "content-type": "application/json",
        "content-encoding": "utf-8",
        "headers": headers,
        "properties": {
            "body_encoding": "base64",
            "delivery_tag": str(uuid4()),
            # Where it is put back if nobody acknowledges it.
            "delivery_info": {"exchange": "", "routing_key": queue},
        },
    }


def _text(form: re.Pattern[str], value: Any) -> str:
    if not form.fullmatch(value):
        raise ValueError(f"{value[:64]!r} is no name of a task, or no id")
    return str(value)


def _moment(value: Any) -> str | None:
    if value is not None and datetime.fromisoformat(value).tzinfo is None:
        raise ValueError("it expires in no time zone")
    return value


def _body(message: dict[str, Any]) -> Any:
    body = message["body"]
    if len(body) > LONGEST:
        raise ValueError("it is too long")
    return json.loads(base64.b64decode(body, validate=True))
