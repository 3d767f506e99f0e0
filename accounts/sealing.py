"""Encryption of secrets with a key derived from SECRET_KEY.

Secrets sealed under a former key can be read as long as SECRET_KEY_FALLBACKS has that key.
"""

from base64 import urlsafe_b64encode

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class UnreadableSecret(ValueError):
    """Raised for a text sealed under a key that the site no longer has."""


def seal(text: str) -> str:
    """Return the text encrypted, so that only this site can read it."""
    return _fernet().encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    """Return the text that was sealed.

    Raises:
        UnreadableSecret: it was sealed under another key, or not by `seal`.
    """
    try:
        return _fernet().decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise UnreadableSecret from None


def _fernet() -> MultiFernet:
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([Fernet(_derive_key(key)) for key in keys])


def _derive_key(key: str) -> bytes:
    derive = HKDF(algorithm=SHA256(), length=32, salt=None, info=b"softmark second factors").derive
    return urlsafe_b64encode(derive(key.encode()))
