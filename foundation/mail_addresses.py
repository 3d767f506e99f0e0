"""Email addresses, read in the same way at sign-up, in invitations and in searches."""

import unicodedata

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from foundation.names import tidy_name

MAX_LENGTH = 254
_MAX_TYPED_LENGTH = 1_000


def read_mail_address(text: str) -> str:
    """Return the address as accounts store it: in lower case, without invisible characters.

    Full-width letters, as Chinese and Japanese keyboards type them, are converted if the address is
    not valid without that.

    Raises:
        ValidationError: this is not an address, or there is more than one.
    """
    local, at, domain = text[:_MAX_TYPED_LENGTH].strip().rpartition("@")
    if not local.startswith('"'):  # between quotation marks spaces and controls belong to it
        local = tidy_name(local)
    typed = f"{local}{at}{tidy_name(domain)}".lower()
    if len(text) > _MAX_TYPED_LENGTH or len(typed) > MAX_LENGTH:
        raise ValidationError(validate_email.message, validate_email.code)
    try:
        validate_email(typed)
    except ValidationError:
        typed = unicodedata.normalize("NFKC", typed)
        validate_email(typed)
        if len(typed) > MAX_LENGTH:
            raise
    return typed
