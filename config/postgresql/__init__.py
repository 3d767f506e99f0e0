"""Django's PostgreSQL, with a limit to how long a server may say nothing."""
