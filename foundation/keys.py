"""TODO: say what this module is for."""

import re

LARGEST_REVISION = 2**31 - 1
_KEY = re.compile(r"[0-9]{1,18}")
