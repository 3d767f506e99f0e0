"""Grading: from typed text to marks."""
