"""A real encoder, and attention measured on it."""
