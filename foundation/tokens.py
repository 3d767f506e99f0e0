"""Secret tokens for programs: drawn at random, shown once, stored as a hash."""

import hashlib
import secrets


def draw() -> str:
    """Return a random token of 256 bits, in characters that are safe in URLs."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> str:
    """Return the hash by which a token is stored and looked up.

    A reader of the database learns no token, and the time of a look-up reveals nothing either.
    """
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
