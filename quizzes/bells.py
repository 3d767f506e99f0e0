"""The doorbells of the quizzes' tasks.

Tasks are named and not imported, so that whatever stands below them may ring.
"""

from celery import signature

from foundation.doorbell import Doorbell

grading_bell = Doorbell(signature("quizzes.tasks.grade"))
stocking_bell = Doorbell(signature("quizzes.tasks.stock_variants"))
rehearsal_bell = Doorbell(signature("quizzes.tasks.rehearse"))
ruling_bell = Doorbell(signature("quizzes.tasks.rule"))
