"""How long what is written about people may be."""

LONGEST_SECTION = 60
LONGEST_LABEL = 40
LONGEST_NAME = 150
MOST_LABELS = 20
