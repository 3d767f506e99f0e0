"""Questions as content files have them."""


def question_in_file(key, topic, prompt="?", keys="abcd"):
    """Return a question whose choice “a” is right."""
    choices = [{"key": k, "text": f" {k} ", "correct": k == "a", "feedback": k} for k in keys]
    return {"key": key, "topic": topic, "prompt": prompt, "choices": choices}
