"""Problem families: questions, their right steps, and the known mistakes."""
