"""What other programs ask and do at /api/v1/, with the tokens of those who teach."""
