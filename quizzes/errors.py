"""Why a service refuses; the message is for the person who asked."""

from collections import Counter


class Refused(Exception):
    """The request makes no sense now, through no fault of the system's."""


class NotOpen(Refused):
    """The quiz cannot be started, or the attempt takes no more answers."""


class NotReady(Refused):
    """Numbers have to be drawn before the attempt can start; nothing else stands in its way."""

    def __init__(self, lacking: Counter[str], wanted: int):
        super().__init__(f"{lacking.total()} of {wanted} variants are lacking")
        self.lacking = lacking
        self.wanted = wanted
        self.ready = wanted - lacking.total()


class NotDrawn(Refused):
    """Slots ask for what there is not; `troubles` says it of each."""

    def __init__(self, troubles: list[str]):
        super().__init__(" ".join(troubles))
        self.troubles = troubles


class NothingTyped(Refused):
    """There is no answer to check."""


class AnsweredMeanwhile(Refused):
    """A report was answered by somebody else, or changed by its student; it comes along."""

    def __init__(self, message: str, report):
        super().__init__(message)
        self.report = report


class Stale(Refused):
    """Marks have changed since the dry run of a ruling: it must be made anew."""


class Outdated(Refused):
    """Something newer is stored; it comes along, so that nothing is lost silently."""

    def __init__(self, message: str, item):
        super().__init__(message)
        self.item = item
