"""The machine's page: the core's own small model reads the reader's sentence."""
