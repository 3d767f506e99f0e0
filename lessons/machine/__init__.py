"""A page on which the machine of the core reads a sentence of the reader's own."""
