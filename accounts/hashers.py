"""Password hasher."""

from django.contrib.auth import hashers


class Argon2(hashers.Argon2PasswordHasher):
    """Argon2id with the minimum parameters of OWASP's Password Storage Cheat Sheet.

    An attacker's hardware is short of memory, whereas a whole class that logs in before an exam is
    short of processors: equally safe PBKDF2 takes a processor a second for each of them.
    """

    time_cost = 2
    memory_cost = 19 * 1024  # KiB
    parallelism = 1
