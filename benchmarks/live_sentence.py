"""Measure the time from a learner's sentence to the real model's reading of it.

Starts the demo in a folder of its own and asks for sentences over HTTP, one after the other, as
the page's script does. Needs the extra `model` (requirements-model.txt).
"""

import json
import sys
import time
import urllib.parse
import urllib.request

from benchmarks.site import report, run_demo
from lessons.real_model import encoder

SENTENCES = 40
SENTENCE = "The animal did not cross the street because it was too tired"


def main() -> None:
    if not encoder.is_installed():
        sys.exit("The extra `model` is not installed: see requirements-model.txt.")
    with run_demo() as url:
        ask(url, "The first sentence makes each worker read the model's file")
        ask(url, "The second sentence may meet another worker")
        seconds = [ask(url, f"{SENTENCE} {number}") for number in range(SENTENCES)]
        again = [ask(url, f"{SENTENCE} {number}") for number in range(SENTENCES)]
    report("read", seconds)
    report("known", again)


def ask(url: str, text: str) -> float:
    """Request a sentence and wait for its map. Return the seconds that it took."""
    began = time.perf_counter()
    body = urllib.parse.urlencode({"text": text}).encode()
    answer = send(f"{url}/sentences/", body)
    while answer["state"] == "waiting":
        time.sleep(0.02)
        answer = send(url + answer["url"], None)
    assert answer["state"] == "read", answer
    return time.perf_counter() - began


def send(url: str, body: bytes | None) -> dict:
    request = urllib.request.Request(url, body, {"Accept": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


if __name__ == "__main__":
    main()
