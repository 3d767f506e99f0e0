"""What forms take for a number: the key of a row, and a revision."""

import re

# As many digits as every database's integers hold.
KEY = re.compile(r"[0-9]{1,18}")
LARGEST_REVISION = 2**31 - 1
