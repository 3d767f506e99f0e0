"""Dates as the pages write them, and in whose zone."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y, H:i e"
TIME_FORMAT = "H:i"
MONTH_DAY_FORMAT = "j F"
