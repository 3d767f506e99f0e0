"""Codes for joining a class: short, random, and forgiving of how they are typed."""

import secrets
import unicodedata
from string import ascii_uppercase, digits

# Letters that are easily confused are in no code, so a typed one is read as the other sign.
LOOKALIKES = {"O": "0", "I": "1", "L": "1", "Z": "2", "S": "5", "B": "8", "U": "V"}
ALPHABET = "".join(sign for sign in digits + ascii_uppercase if sign not in LOOKALIKES)
LENGTH = 8


def draw() -> str:
    """Return a new random code out of 500 thousand million."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def format_code(code: str) -> str:
    """Return a code as it is displayed.

    >>> format_code("K7QM2XNA")
    'K7QM-2XNA'
    """
    return f"{code[: LENGTH // 2]}-{code[LENGTH // 2 :]}"


def parse_code(typed: str) -> str:
    """Return the code that was typed, or "" if it is none.

    >>> [parse_code(text) for text in (" k7qm 2xna ", "K7QM–2XNA", "o123-i567", "no code")]
    ['K7QM2XNA', 'K7QM2XNA', '01231567', '']
    """
    plain = unicodedata.normalize("NFKC", typed[:100]).upper()
    code = "".join(sign for sign in plain if sign.isalnum())
    code = "".join(LOOKALIKES.get(sign, sign) for sign in code)
    return code if len(code) == LENGTH and set(code) <= set(ALPHABET) else ""
