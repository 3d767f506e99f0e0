"""Notifiers that wake the quizzes' tasks.

Tasks are named, not imported, so that modules below them can wake them.
"""

from celery import signature

from foundation.notifier import Notifier

grading_notifier = Notifier(signature("quizzes.tasks.grade"))
stocking_notifier = Notifier(signature("quizzes.tasks.stock_variants"))
simulation_notifier = Notifier(signature("quizzes.tasks.rehearse"))
proof_notifier = Notifier(signature("quizzes.tasks.prove"))
regrade_notifier = Notifier(signature("quizzes.tasks.rule"))
