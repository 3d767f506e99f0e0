"""Time what stands beside a text in the builder, for the largest texts: `make bench previews`.

The requests go through the whole site, with the garbage collector set as in the web server.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read once, when NumPy is imported

import gc
import logging
import statistics
import time

from benchmarks.site import run_demo
from tests.attention_core.formula_language.largest import FULLEST

ROUNDS = 20


def main() -> None:
    with run_demo():
        measure()


def measure() -> None:
    from django.contrib.auth import get_user_model
    from django.test import Client
    from django.urls import reverse

    logging.disable()  # each request is one line
    client, taken = Client(headers={"host": "127.0.0.1"}), []
    client.force_login(get_user_model().objects.filter(is_superuser=True).first())
    address = reverse("admin:quizzes_writtenproblem_variant")
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    for name, text in FULLEST.items():
        some = []
        for seed in range(ROUNDS):
            began = time.thread_time()
            answer = client.post(address, {"text": text, "seed": seed})
            some.append((time.thread_time() - began) * 1e3)
            assert answer.status_code == 200
        print(f"{name:24} median {statistics.median(some):4.0f} ms, most {max(some):4.0f} ms")
        taken += some
    p50, p95 = statistics.median(taken), statistics.quantiles(taken, n=20)[-1]
    print(f"all: median {p50:.0f} ms, p95 {p95:.0f} ms over {len(taken)} requests")


if __name__ == "__main__":
    main()
