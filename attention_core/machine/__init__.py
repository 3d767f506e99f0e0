"""A small causal transformer of our own, and the language that it was trained on."""
