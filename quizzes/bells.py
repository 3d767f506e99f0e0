"""TODO: say what this module is for."""

from foundation.doorbell import Doorbell
from quizzes.tasks import grade, rehearse, rule, stock_variants

# To be rung when an answer waits to be marked, when a quiz may want variants, for robots, and when
# a ruling is to be applied.
grading_bell = Doorbell(grade)
stocking_bell = Doorbell(stock_variants)
rehearsal_bell = Doorbell(rehearse)
ruling_bell = Doorbell(rule)
