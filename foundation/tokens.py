"""Secrets by which a program is let in: drawn once, told once, kept as a hash."""

import hashlib
import secrets


def draw() -> str:
    """Nobody guesses it: 256 bits, in letters that an address may hold."""
    return secrets.token_urlsafe(32)


def hashed(token: str) -> str:
    """As a token is kept, and looked for: whoever reads the database learns none.

    Nothing is to be learnt from how long a look-up takes, either.
    """
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
