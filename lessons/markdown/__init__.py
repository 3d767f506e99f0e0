"""The Markdown of lessons, with maths, words and images. It uses no database."""
