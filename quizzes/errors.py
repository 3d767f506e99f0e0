"""Refusals of services; each message is for the user who asked."""

from collections import Counter

from django.utils.translation import gettext_lazy as _

CANNOT_BE_READ = _("An entry can’t be read, so nothing was checked. Correct it, then check again.")


class Refused(Exception):
    """A request that is not possible now. The message says why."""


class NotOpen(Refused):
    """The quiz cannot be started, or the attempt takes no more answers."""


class NotReady(Refused):
    """Numbers have to be drawn before the attempt can start; nothing else prevents it."""

    def __init__(self, lacking: Counter[str], wanted: int):
        super().__init__(f"{lacking.total()} of {wanted} variants are lacking")
        self.lacking = lacking
        self.wanted = wanted
        self.ready = wanted - lacking.total()


class NotDrawn(Refused):
    """There is nothing to ask for some slots; `troubles` has a sentence on each."""

    def __init__(self, troubles: list[str]):
        super().__init__(" ".join(troubles))
        self.troubles = troubles


class NothingTyped(Refused):
    """There is no answer to check."""


class Unreadable(Refused):
    """An entry of an answer to check is no number; `field` names the first."""

    def __init__(self, field: str):
        super().__init__(str(CANNOT_BE_READ))
        self.field = field


class ReportChanged(Refused):
    """The report was answered by somebody else, or changed by its student; it is attached."""

    def __init__(self, message: str, report):
        super().__init__(message)
        self.report = report


class Stale(Refused):
    """Marks have changed since the dry run of a regrade, which has to be repeated."""


class Outdated(Refused):
    """Something newer is stored; it is attached, so that nothing is lost silently."""

    def __init__(self, message: str, item):
        super().__init__(message)
        self.item = item
