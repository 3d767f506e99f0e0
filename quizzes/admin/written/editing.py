"""Ticks and rewordings of mistakes, put into the text."""

from quizzes import problems

# The beginnings of the fields' names; the step and the mistake follow.
LISTED, ON, SAYS = "listed-", "on-", "says-"


def edited_text(sent) -> str:
    """Return the sent text with the mistakes that were ticked, and worded as they were typed.

    Raises:
        FormulaError: the text has a fault.
    """
    text = sent.get("text", "").replace("\r\n", "\n")
    sketch = problems.sketch_variant(text, "1", {})
    for step, left_out in sketch.left_out.items():
        listed = {key for name in sent if (key := _key_of(name, LISTED, step))}
        ticked = {key for key in listed if f"{ON}{step}.{key}" in sent}
        rewordings = dict(sketch.reworded[step])
        for key in ticked:
            typed = " ".join(sent.get(f"{SAYS}{step}.{key}", "").split())
            if typed != sketch.feedback.get((step, key), ""):
                rewordings[key] = typed
        without = [
            *(key for key in left_out if key not in ticked),
            *sorted(listed - ticked - {*left_out}),
        ]
        text = problems.edit_mistakes(text, step, without=without, rewordings=rewordings)
    return text


def _key_of(name: str, start: str, step: str) -> str:
    before = f"{start}{step}."
    return name.removeprefix(before) if name.startswith(before) else ""
