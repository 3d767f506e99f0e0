"""Django's PostgreSQL backend, with a limit to how long a server may stay silent."""
