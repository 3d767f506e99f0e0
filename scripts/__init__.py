"""Commands behind `make`, from the standard library alone: they run before any installation."""
