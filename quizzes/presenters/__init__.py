"""Rows and their JSON, made ready for the eye: frozen dataclasses that templates loop over."""
