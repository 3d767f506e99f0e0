"""Why a service refuses; the message is for the person who asked."""


class Refused(Exception):
    """The request makes no sense now, through no fault of the system's."""


class NotOpen(Refused):
    """The quiz cannot be started, or the attempt takes no more answers."""


class NothingTyped(Refused):
    """There is no answer to check."""


class Outdated(Refused):
    """Something newer is stored; it comes along, so that nothing is lost silently."""

    def __init__(self, message: str, item):
        super().__init__(message)
        self.item = item
