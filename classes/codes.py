"""Codes to join a class by: short, drawn at random, and forgiving of how they are typed."""

import secrets
import unicodedata
from string import ascii_uppercase, digits

# Letters that are easily taken for another sign are in no code, so whoever types one means that.
MEANT = {"O": "0", "I": "1", "L": "1", "Z": "2", "S": "5", "B": "8", "U": "V"}
ALPHABET = "".join(sign for sign in digits + ascii_uppercase if sign not in MEANT)
LENGTH = 8


def draw() -> str:
    """A new code. There are 500 thousand million of them."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def shown(code: str) -> str:
    """As it is read out.

    >>> shown("K7QM2XNA")
    'K7QM-2XNA'
    """
    return f"{code[: LENGTH // 2]}-{code[LENGTH // 2 :]}"


def read(typed: str) -> str:
    """The code that was meant, or "" where it is none.

    >>> read(" k7qm 2xna "), read("K7QM–2XNA"), read("o123-i567"), read("no code")
    ('K7QM2XNA', 'K7QM2XNA', '01231567', '')
    """
    plain = unicodedata.normalize("NFKC", typed[:100]).upper()
    code = "".join(sign for sign in plain if sign.isalnum())
    code = "".join(MEANT.get(sign, sign) for sign in code)
    return code if len(code) == LENGTH and set(code) <= set(ALPHABET) else ""
