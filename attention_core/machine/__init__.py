"""A small causal transformer of our own, trained on a language that is written in full here."""
