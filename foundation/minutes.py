"""Times that are shown to the minute, and count from its beginning or to its end."""

from datetime import datetime, timedelta


def minute_or_none(at: datetime | None) -> datetime | None:
    """Return a time as pages show it and as limits are compared."""
    return at and start_of_minute(at)


def start_of_minute(at: datetime) -> datetime:
    """Return the first instant of a minute: what opens then is open as soon as a clock shows it."""
    return at.replace(second=0, microsecond=0)


def end_of_minute(at: datetime) -> datetime:
    """Return the last instant of a minute: what is due then is in time while a clock shows it."""
    return start_of_minute(at) + timedelta(minutes=1, microseconds=-1)
