"""A real encoder and what it was measured to look at."""
