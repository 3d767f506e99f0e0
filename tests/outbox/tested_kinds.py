"""Kinds of letters for the tests; run as a program, a worker's send_waiting that knows them."""

from pathlib import Path

from outbox import kinds
from outbox.kinds import Kind

NEWS, DUE, SAFETY = "tests.news", "tests.due", "tests.safety"
TEMPLATES = Path(__file__).parent / "templates"


def register() -> None:
    kinds.register(Kind(key=NEWS, title="News", template="tests/news"))
    kinds.register(Kind(key=DUE, title="Due tomorrow", template="tests/due", digest=True))
    kinds.register(
        Kind(key=SAFETY, title="Safety", template="tests/news", may_be_switched_off=False)
    )


if __name__ == "__main__":
    import django
    from django.conf import settings

    settings.TEMPLATES[0]["DIRS"] = [TEMPLATES]
    django.setup()
    register()
    from outbox.sending import send_waiting

    send_waiting(seconds=60)
