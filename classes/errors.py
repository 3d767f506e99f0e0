"""Exceptions of classes; each message is a sentence for the user."""


class Refused(ValueError):
    """Raised for what the rules of classes forbid; `field` is the form field to correct, if any."""

    def __init__(self, sentence: str, *, field: str = "") -> None:
        super().__init__(sentence)
        self.field = field


class Unreadable(ValueError):
    """Raised for a file or text that is not a list of people."""


class Outdated(ValueError):
    """Raised if data has changed since it was shown."""
