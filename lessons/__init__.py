"""Lessons: rows, rendering of Markdown and maths, widgets, the catalogue and the lesson page."""
