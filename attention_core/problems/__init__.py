"""Problem families: what is asked, the right steps, and the known mistakes."""
