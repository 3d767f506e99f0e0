"""What lessons are written in: Markdown with maths, words and images, without a database."""
