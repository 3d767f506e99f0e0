"""What is done to classes: verbs, each in a transaction of its own, each remembered."""
