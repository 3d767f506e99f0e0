"""Why something cannot be done; each message is a sentence for whoever asked."""


class Refused(ValueError):
    """It is against the rules of classes; `field` is what would have to be said otherwise."""

    def __init__(self, sentence: str, *, field: str = "") -> None:
        super().__init__(sentence)
        self.field = field


class Unreadable(ValueError):
    """A file or a text is no list of people."""


class Outdated(ValueError):
    """The class has changed since it was shown."""
