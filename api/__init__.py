"""The REST API at /api/v1/, and the access tokens of people who teach."""
