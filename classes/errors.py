"""Why something cannot be done; each message is a sentence for whoever asked."""


class Refused(ValueError):
    """It is against the rules of classes."""


class Unreadable(ValueError):
    """A file or a text is no list of people."""


class Outdated(ValueError):
    """The class has changed since it was shown."""
