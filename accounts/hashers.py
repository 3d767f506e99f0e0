"""How passwords are kept."""

from django.contrib.auth import hashers


class Argon2(hashers.Argon2PasswordHasher):
    """Argon2id with the least that OWASP's cheat sheet on storing passwords recommends.

    Memory is what a guesser's hardware is short of; a whole class that logs in before an exam is
    short of processors, and PBKDF2, for as much safety, takes a second of one for each of them.
    """

    time_cost = 2
    memory_cost = 19 * 1024  # KiB
    parallelism = 1
