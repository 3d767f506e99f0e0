"""Authoring lessons: services, file formats, history, images and checks."""
