"""The lessons app: models, rendering of Markdown and maths, widgets, catalogue and pages."""
