"""The logging configuration: JSON lines in production, plain lines on a developer's machine.

Every line of a request carries its id, and so does every line of the task that the request woke. No
person's address and no token is ever logged.
"""

import re
from typing import Any

import structlog
from structlog.stdlib import ProcessorFormatter

# Each of these gives access: links in emails, a calendar, a class's code, a certificate.
_KEYS = re.compile(
    r"(/(?:key|confirm-email|off|calendar|join|certificates)/)(?!set-password\b|done\b)[^/\s\"']+"
)
_QUERY = re.compile(r"(\b(?:GET|POST|HEAD) /[^\s\"'?]*)\?[^\s\"']*")
_SECRET = re.compile(
    r"((?:password|token|secret|key|sessionid|authorization)[\"']?\s*[=:]\s*[\"']?)"
    r"(?:Bearer\s+)?[^\s\"'&,;)]+",
    re.IGNORECASE,
)
_CREDENTIALS = re.compile(r"(\w+://[^/\s:@]*:)[^/\s@]+@")
_TOKEN = re.compile(r"\bsoftmark_[\w-]{8,}")
_ADDRESS = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")


def redact(text: str) -> str:
    """Return the text without people's addresses and without anything that gives access."""
    text = _KEYS.sub(r"\1…/", text)
    text = _QUERY.sub(r"\1?…", text)
    text = _CREDENTIALS.sub(r"\1…@", text)
    text = _SECRET.sub(r"\1…", text)
    text = _TOKEN.sub("softmark_…", text)
    return _ADDRESS.sub("…@…", text)


def _discreetly(_logger: Any, _method: str, event: dict[str, Any]) -> dict[str, Any]:
    return {
        name: redact(value) if isinstance(value, str) else value for name, value in event.items()
    }


_OF_ALL = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def configure(*, plain: bool) -> dict[str, Any]:
    """Configure structlog. Return Django's LOGGING, which formats other packages' lines too."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_OF_ALL,
            structlog.stdlib.PositionalArgumentsFormatter(),
            ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    renderer = (
        structlog.dev.ConsoleRenderer(
            colors=False, pad_event_to=0, exception_formatter=structlog.dev.plain_traceback
        )
        if plain
        else structlog.processors.JSONRenderer(ensure_ascii=False, default=str)
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": ProcessorFormatter,
                "foreign_pre_chain": _OF_ALL,
                "processors": [
                    ProcessorFormatter.remove_processors_meta,
                    structlog.processors.format_exc_info,
                    _discreetly,
                    renderer,
                ],
            }
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": "INFO"},
        "loggers": {
            # Django's own handlers mail the administrators; the console is enough.
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            # Each request has a line of its own, with its exception (operations/requests.py).
            "django.request": {"level": "CRITICAL"},
        },
    }
