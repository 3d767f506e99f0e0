"""All addresses of the admin's lists: orders, filters, searches, further pages."""

from collections.abc import Iterator
from itertools import islice
from typing import Any
from urllib.parse import urlencode

# A common name, a rarer one, one person's, nobody's, a quiz's title, and both.
SEARCHES = ("ada", "ada brown", "student-7@", "nobody at all", "attention", "whole block ada")


def staff_client() -> Any:
    """Return a client logged in as an administrator, who may see every list."""
    from django.contrib.auth import get_user_model
    from django.test import Client

    people = get_user_model().objects
    email = "lists@softmark.example"
    admin = people.filter(email=email).first() or people.create_superuser(email, None)
    client = Client()
    client.force_login(admin)
    return client


def list_addresses(client: Any, *, most_choices: int | None = None) -> Iterator[tuple[str, str]]:
    """Yield the name of each list with each of its addresses, read from the list's own page.

    Args:
        most_choices: the number of choices at most of one filter; all unless given.
    """
    from django.contrib import admin
    from django.urls import reverse

    for model, options in admin.site._registry.items():
        name = str(model._meta.verbose_name_plural)
        path = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        yield name, path
        found = client.get(path).context_data["cl"]
        yield from ((name, f"{path}?{query}") for query in _queries(options, found, most_choices))


def _queries(options: Any, found: Any, most_choices: int | None) -> Iterator[str]:
    if found.result_count > found.list_per_page:
        yield "p=2"
        yield f"p={found.paginator.num_pages}"
    for column, name in enumerate(found.list_display):
        if name in found.sortable_by and found.get_ordering_field(name):
            yield f"o={column}"
            yield f"o=-{column}"
    for search in SEARCHES if options.search_fields else ():
        yield urlencode({"q": search})
    for each in found.filter_specs:
        for choice in islice(each.choices(found), most_choices):
            query = choice.get("query_string", "?").removeprefix("?")
            if query:
                yield query
    if options.date_hierarchy:
        row = options.model._default_manager.order_by("-pk").first()
        day = row and getattr(row, options.date_hierarchy)
        for parts in (("year",), ("year", "month"), ("year", "month", "day")) if day else ():
            yield urlencode(
                {f"{options.date_hierarchy}__{part}": getattr(day, part) for part in parts}
            )
