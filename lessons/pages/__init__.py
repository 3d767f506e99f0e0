"""The readers' pages: catalogue, lesson, search and downloads."""
