"""Solve problems like a student: read the givens off the page, compute with the core."""

import math
from collections.abc import Callable

import numpy as np
from playwright.sync_api import Locator, Page

from attention_core.maths.attention import attention, attention_weights
from attention_core.maths.softmax import softmax

type Given = dict[str, np.ndarray]
type Answer = dict[str, np.ndarray]

READ_GIVENS = """fieldset => {
  const numbers = (row) =>
    [...row.querySelectorAll("[data-value]")].map((cell) => Number(cell.dataset.value));
  const found = {};
  for (const table of fieldset.querySelectorAll("table[data-given]"))
    found[table.dataset.given] = [...table.tBodies[0].rows].map(numbers);
  for (const scalar of fieldset.querySelectorAll("data[data-given]"))
    found[scalar.dataset.given] = Number(scalar.value);
  return found;
}"""


def givens(item: Locator) -> Given:
    """Return the givens of a question; a vector is a flat array."""
    read = {key: np.array(values) for key, values in item.evaluate(READ_GIVENS).items()}
    return {
        key: array[0] if array.ndim == 2 and len(array) == 1 else array
        for key, array in read.items()
    }


def cosine(g: Given) -> Answer:
    return {"cosine": g["a"] @ g["b"] / (np.linalg.norm(g["a"]) * np.linalg.norm(g["b"]))}


def dot_score(g: Given) -> Answer:
    score = g["q"] @ g["k"]
    return {"score": score, "scaled": score / math.sqrt(len(g["k"]))}


def causal_attention(g: Given) -> Answer:
    return {"weights": softmax(np.where(g["mask"] == 1, g["scores"], -np.inf))}


def four_steps(g: Given) -> Answer:
    scores = g["Q"] @ g["K"].T
    return {
        "scores": scores,
        "scaled": scores / math.sqrt(g["K"].shape[-1]),
        "weights": attention_weights(g["Q"], g["K"]),
        "output": attention(g["Q"], g["K"], g["V"]),
    }


SOLVERS: dict[str, Callable[[Given], Answer]] = {
    "cosine": cosine,
    "distance": lambda g: {"distance": np.linalg.norm(g["a"] - g["b"])},
    "dot_score": dot_score,
    "score_matrix": lambda g: {"scores": g["Q"] @ g["K"].T},
    "scale_row": lambda g: {"scaled": g["scores"] / math.sqrt(g["d_k"])},
    "softmax_row": lambda g: {"weights": softmax(g["scores"])},
    "weighted_value": lambda g: {"output": g["weights"] @ g["V"]},
    "causal_attention": causal_attention,
    "attention": four_steps,
}


def typed_answer(item: Locator) -> dict[str, str]:
    """Return the text for each input of a numeric question, by its name."""
    position, family = item.get_attribute("data-item"), item.get_attribute("data-family")
    solution = SOLVERS[family](givens(item))
    texts = {}
    for step, array in solution.items():
        for (row, column), value in np.ndenumerate(np.atleast_2d(array)):
            texts[f"item-{position}-{step}-{row}-{column}"] = f"{value:.3f}"
    return texts


def fill_in(page: Page, *, leave: tuple[int, ...] = ()) -> None:
    """Answer every question except `leave`: numbers rightly, concepts with the first choice."""
    for item in page.locator("fieldset[data-item]").all():
        position = item.get_attribute("data-item")
        if int(position) in leave:
            continue
        opener = page.get_by_role("button", name="Questions:")
        if opener.is_visible():
            opener.click()
        page.locator(f"[data-palette='{position}']").click()
        if item.get_attribute("data-kind") == "choice":
            item.locator("input[type=radio]").first.check()
            continue
        for name, text in typed_answer(item).items():
            cell = item.locator(f"[name={name}]")
            if cell.count():  # fixed cells have no input
                cell.fill(text)
