"""Learners' own sentences, read by the real model in a worker."""
