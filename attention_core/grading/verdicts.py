"""Verdicts on the steps and cells of an answer: words that are stored with grades."""

# A step.
RIGHT = "right"
FOLLOWS = "follows"  # right, from the student's own earlier steps
MISTAKE = "mistake"  # a known one, whose key is stored beside the verdict
NEAR = "near"  # the method is right, the rounding came too early
PARTIAL = "partial"  # some cells are right
WRONG = "wrong"
BLANK = "blank"  # nothing is typed

# A cell is RIGHT, NEAR, WRONG or BLANK, or one of these.
UNREADABLE = "unreadable"  # typed, but no number
FIXED = "fixed"  # filled in for the student

# The mistake of choosing any but the right one; its feedback is `Step.wrong_choice`.
OTHER_CHOICE = "other_choice"
