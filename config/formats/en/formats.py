"""The English date formats, with the time zone."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y, H:i e"
TIME_FORMAT = "H:i"
MONTH_DAY_FORMAT = "j F"
