"""Measure the time of a save, from the page's request to its receipt.

Starts the demo in a folder of its own; then the page's own requests, one after the other, each
with a change of one question, over one connection as a browser keeps it.
"""

import http.client
import json
import time
from urllib.parse import urlsplit

from benchmarks.site import log_in, read_page, report, run_demo

SAVES = 200


def main() -> None:
    with run_demo() as url:
        measure(url)


def measure(url: str) -> None:
    from quizzes.delivery.services.taking import start_attempt
    from quizzes.models import Quiz
    from quizzes.problems.answers import cell_fields

    student, cookie = log_in("saving@softmark.example")
    attempt = start_attempt(student=student, quiz=Quiz.objects.filter(published=True).first())
    items = [
        (item.position, [cell.field for cell in cell_fields(item.shown)])
        for item in attempt.items.exclude(variant=None)
    ]
    csrf, token = read_page(f"{url}/attempts/{attempt.pk}/", cookie)
    headers = {
        "Cookie": f"{cookie}; {csrf}",
        "X-CSRFToken": token,
        "Content-Type": "application/json",
    }
    connection = http.client.HTTPConnection(urlsplit(url).netloc)
    seconds = []
    for number in range(SAVES):
        (position, fields), revision = items[number % len(items)], number // len(items)
        typed = dict.fromkeys(fields, f"{number}.25")
        body = json.dumps({"revision": revision, "token": f"save-{number}", "fields": typed})
        began = time.perf_counter()
        path = f"/attempts/{attempt.pk}/items/{position}/draft/"
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        receipt = json.loads(answer.read())
        seconds.append(time.perf_counter() - began)
        assert receipt["revision"] == revision + 1, receipt
    report("save", seconds)


if __name__ == "__main__":
    main()
