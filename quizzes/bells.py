"""Notifiers that wake the quizzes' tasks.

Tasks are named, not imported, so that modules below them can wake them.
"""

from celery import signature

from foundation.doorbell import Doorbell

grading_bell = Doorbell(signature("quizzes.tasks.grade"))
stocking_bell = Doorbell(signature("quizzes.tasks.stock_variants"))
rehearsal_bell = Doorbell(signature("quizzes.tasks.rehearse"))
ruling_bell = Doorbell(signature("quizzes.tasks.rule"))
