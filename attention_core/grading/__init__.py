"""From typed text to marks."""
