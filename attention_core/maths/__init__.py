"""The mathematics of attention: functions of arrays, with any leading batch axes."""
