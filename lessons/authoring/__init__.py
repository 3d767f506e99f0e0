"""Writing lessons: services that write them, files in and out, history, images, checks."""
