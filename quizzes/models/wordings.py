"""The texts in which items ask, stored once for all items that share them."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.db import models
from django.utils.translation import gettext_lazy as _

# Wordings that a process caches: more than all families and questions of a site have.
MAX_CACHED = 4096

_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def wording_key(data: Mapping[str, Any]) -> UUID:
    """Return the primary key of a wording: a hash of its data."""
    return UUID(bytes=hashlib.sha256(_canonical(data).encode()).digest()[:16])


class WordingManager(models.Manager):
    """Manager of wordings. They never change, so each process may cache what it has read."""

    def read(self, keys: Iterable[UUID]) -> dict[UUID, Mapping[str, Any]]:
        """Return the data of these wordings by their keys, with at most one query."""
        wanted = set(keys)
        found = {key: data for key in wanted if (data := _cache.get(key)) is not None}
        if lacking := wanted - found.keys():
            read = dict(self.filter(pk__in=lacking).values_list("pk", "data"))
            self.cache(read)
            found |= read
        return found

    def cache(self, read: Mapping[UUID, Mapping[str, Any]]) -> None:
        """Cache the data of these wordings in this process."""
        if len(_cache) + len(read) > MAX_CACHED:
            _cache.clear()
        _cache.update(read)


_cache: dict[UUID, Mapping[str, Any]] = {}


class Wording(models.Model):
    """The texts of a question before any numbers are put in; they never change.

    `quizzes/problems/schemas.py` has the shape of its data. Items of one kind, or of one concept
    question, share one.
    """

    id = models.UUIDField(_("hash of the text"), primary_key=True, editable=False)
    data = models.JSONField(_("texts"))

    objects = WordingManager()

    class Meta:
        verbose_name = _("wording")
        verbose_name_plural = _("wordings")

    def __str__(self):
        return str(self.pk)
