"""People's names, folded for searching and sorting in the same way on every database.

Words are found in any order and without accents. Names are folded once, when they are written, and
never by the database: SQLite folds only the case of ASCII, and PostgreSQL sorts by its machine's
locale.
"""

import unicodedata
from collections.abc import Collection, Iterable, Sequence
from itertools import batched
from typing import Any

from django.apps import apps
from django.db import connections, models, transaction
from django.db.models import Func, Q
from django.utils.translation import gettext_lazy as _

LONGEST_SORTS_AS = 160
# The columns that folded text is made of, and the columns that hold it.
SOURCES = frozenset({"name", "email", "sorts_as"})
FOLDED = ("folded", "sort_key")
BATCH = 2_000
# Letters whose stroke is not a combining mark.
_STROKES = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe"}
)


def fold(text: str) -> str:
    """Return a text without case, marks and invisible characters, with single spaces.

    >>> fold("DVOŘÁK"), fold("Dvorak"), fold("Straße")
    ('dvorak', 'dvorak', 'strasse')
    """
    parts = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    kept = (
        sign
        for sign in parts
        if not unicodedata.combining(sign) and unicodedata.category(sign) != "Cf"
    )
    return " ".join("".join(kept).casefold().translate(_STROKES).split())


def folded_words(text: str) -> list[str]:
    """Return the folded words of a search text; commas and semicolons separate words too."""
    return fold(text.replace("\0", "").translate(dict.fromkeys(map(ord, ",;"), " "))).split()


def contains_words(words: Sequence[str], *columns: str) -> Q:
    """Return the condition that each word occurs in one of these folded columns."""
    condition = Q()
    for word in words:
        condition &= Q(*((f"{each}__contains", word) for each in columns), _connector=Q.OR)
    return condition


def last_first(name: str) -> str:
    """Return a name as “Last, First”, taking its last word for the family name.

    >>> last_first("Ada Maria Zimmer"), last_first("Ada")
    ('Zimmer, Ada Maria', 'Ada')
    """
    *first, last = name.split() or [""]
    return f"{last}, {' '.join(first)}" if first else last


class Bytewise(Func):
    """A folded text that sorts by its bytes on every database."""

    arity = 1
    template = "%(expressions)s"

    def as_postgresql(self, compiler: Any, connection: Any, **more: Any) -> Any:
        template = '(%(expressions)s) COLLATE "C"'
        return self.as_sql(compiler, connection, template=template, **more)


def _folded(name: str, email: str, sorts_as: str) -> dict[str, str]:
    """Return both columns. The separators in a key sort before any character of a word."""
    display_name, address = name.strip() or email, fold(email)
    family, comma, given = (sorts_as.strip() or last_first(name) or email).partition(",")
    by_last = f"{fold(family)}\t{fold(given)}" if comma else fold(family)
    if not display_name:
        return dict.fromkeys(FOLDED, "")
    return {"folded": f"{fold(display_name)}\n{address}", "sort_key": f"{by_last}\n{address}"}


class FoldedField(models.TextField):
    """A column that is computed from a row's name and address whenever the row is written."""

    def __init__(self, *args: Any, **more: Any) -> None:
        # While a site is updated, processes of the previous release add rows without it.
        more |= {"editable": False, "blank": True, "default": "", "db_default": ""}
        super().__init__(*args, **more)

    def pre_save(self, model_instance: Any, add: bool) -> str:
        made = _folded(model_instance.name, model_instance.email, model_instance.sorts_as)
        setattr(model_instance, self.attname, made[self.attname])
        return made[self.attname]


class NamedQuerySet(models.QuerySet):
    """A queryset that keeps the folded columns up to date in `update` too."""

    def update(self, **values: Any) -> int:
        if not SOURCES & values.keys():
            return super().update(**values)
        with transaction.atomic(using=self.db):
            keys = list(self.order_by().values_list("pk", flat=True))
            changed = super().update(**values)
            write_folded(self.model, keys, using=self.db)
        return changed

    update.alters_data = True


class Named(models.Model):
    """A model that is searched and sorted by name. Subclasses have `name` and `email`."""

    sorts_as = models.CharField(
        _("sorted as"),
        max_length=LONGEST_SORTS_AS,
        blank=True,
        default="",
        db_default="",
        help_text=_("“Last, First”. Leave empty to sort by the last word of the name."),
    )
    folded = FoldedField()
    sort_key = FoldedField()

    class Meta:
        abstract = True

    def save(self, *args: Any, **more: Any) -> None:
        fields: Collection[str] | None = more.get("update_fields")
        if fields is not None and SOURCES & set(fields):
            more["update_fields"] = {*fields, *FOLDED}
        super().save(*args, **more)


def write_folded(model: type[models.Model], keys: Iterable[Any], *, using: str) -> None:
    """Recompute the folded columns of these rows, in a few statements for thousands."""
    write = connections[using].ops.quote_name
    pk, table = model._meta.pk.column, model._meta.db_table
    places = ", ".join(f"{write(column)} = %s" for column in FOLDED)
    statement = f"UPDATE {write(table)} SET {places} WHERE {write(pk)} = %s"  # nosec
    for some in batched(keys, BATCH, strict=False):
        rows = model._base_manager.using(using).filter(pk__in=some)
        made = [
            (*_folded(*texts).values(), key)
            for key, *texts in rows.values_list("pk", "name", "email", "sorts_as")
        ]
        with transaction.atomic(using=using), connections[using].cursor() as cursor:
            cursor.executemany(statement, made)


def fold_blank(model: type[models.Model], *, using: str = "default") -> int:
    """Fill in the folded columns of rows that have names but no folded text. Return how many."""
    rows = model._base_manager.using(using).filter(folded="").exclude(name="", email="")
    keys = list(rows.order_by("pk").values_list("pk", flat=True))
    write_folded(model, keys, using=using)
    return len(keys)


def fold_all_blank() -> int:
    """Fill them in for every model with names, after processes of the previous release."""
    named = [model for model in apps.get_models() if issubclass(model, Named)]
    return sum(fold_blank(model) for model in named)
