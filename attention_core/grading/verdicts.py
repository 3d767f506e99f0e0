"""What marking calls a step of an answer, and what it calls a cell: words stored with grades."""

# A step.
RIGHT = "right"
FOLLOWS = "follows"  # right, from the student's own earlier steps
MISTAKE = "mistake"  # a known one, whose key stands beside the verdict
NEAR = "near"  # the method is right, the rounding came too early
PARTIAL = "partial"  # some cells are right
WRONG = "wrong"
BLANK = "blank"  # nothing is typed

# A cell is RIGHT, NEAR, WRONG or BLANK, or one of these.
UNREADABLE = "unreadable"  # typed, but no number
FIXED = "fixed"  # filled in for the student

# The mistake of choosing any other than the right one; `Step.wrong_choice` says what to think of.
OTHER_CHOICE = "other_choice"
