from collections import defaultdict
from contextlib import suppress

from django.db import migrations, transaction

from quizzes import problems
from quizzes.models.wordings import wording_key

# So many rows are held in memory, and written in one transaction.
BATCH = 1000
_VARIANT = ("kind", "family", "version", "options", "seed", "words", "givens", "tolerance")


def keep_wordings(apps, schema_editor):
    """Take apart what items showed: a wording that many share, and what was the item's own.

    Where today's family does not say what was shown (it was reworded or has gone, or somebody
    edited the row) the item gets a wording of its own that says it as it was. This can be stopped
    and begun again.
    """
    Item, Wording = apps.get_model("quizzes", "Item"), apps.get_model("quizzes", "Wording")
    by_kind = defaultdict(list)
    known = set()
    rows = Item.objects.filter(wording=None).select_related("variant", "question")
    rows = rows.prefetch_related("question__choices").defer("draft", "variant__solution")
    for items in _batches(rows):
        said, columns = {}, []
        for item in items:
            wording, order = _taken_apart(item, by_kind)
            key = wording_key(wording)
            said[key] = wording
            columns.append((key, order, None, item.pk))
        with transaction.atomic(schema_editor.connection.alias):
            Wording.objects.bulk_create(
                (Wording(pk=key, data=said[key]) for key in sorted(said.keys() - known)),
                ignore_conflicts=True,
            )
            _write(schema_editor, Item, ("wording", "order", "shown"), columns)
        known |= {key for key in said if said[key].get("to_fill") or said[key].get("kind") == "choice"}


def show_again(apps, schema_editor):
    """Write out in every item what it shows."""
    Item = apps.get_model("quizzes", "Item")
    rows = Item.objects.filter(shown__isnull=True).select_related("variant", "wording")
    for items in _batches(rows.defer("draft", "variant__solution")):
        columns = [
            (
                problems.shown(
                    item.wording.data,
                    order=item.order,
                    variant=item.variant and vars(item.variant),
                ),
                None,
                item.pk,
            )
            for item in items
        ]
        with transaction.atomic(schema_editor.connection.alias):
            _write(schema_editor, Item, ("shown", "wording"), columns)


def _batches(rows):
    last = 0
    while batch := list(rows.filter(pk__gt=last).order_by("pk")[:BATCH]):
        yield batch
        last = batch[-1].pk


def _taken_apart(item, by_kind):
    """The wording of what an item showed, and the order of its choices."""
    if item.variant is not None:
        return _numeric(item, by_kind), ""
    # An odd row is kept as it is.
    with suppress(KeyError, TypeError, AttributeError):
        return _choice(item)
    return item.shown, ""


def _numeric(item, by_kind):
    variant = vars(item.variant)

    def says_it(wording):
        with suppress(Exception):  # whatever keeps the two from fitting, they do not fit
            return problems.shown(wording, variant=variant) == item.shown
        return False

    for wording in by_kind[item.variant.kind]:
        if says_it(wording):
            return wording
    with suppress(Exception):  # the family has gone, or no longer reads such numbers
        wording = problems.variant_wording(variant)
        if says_it(wording):
            by_kind[item.variant.kind].append(wording)
            return wording
    return item.shown


def _choice(item):
    """As in new items the choices stand in their question's order, else in that of their keys."""
    now = [choice.key for choice in sorted(item.question.choices.all(), key=_place)]
    seen = [choice["key"] for choice in item.shown["choices"]]
    places = sorted(
        range(len(seen)),
        key=lambda place: (
            now.index(seen[place]) if seen[place] in now else len(now),
            seen[place],
        ),
    )
    wording = item.shown | {"choices": [item.shown["choices"][place] for place in places]}
    return wording, problems.order_of(places.index(place) for place in range(len(seen)))


def _place(choice):
    return choice.order, choice.pk


def _write(schema_editor, model, names, rows):
    """Give each row its own values; the last of them is its primary key."""
    connection = schema_editor.connection
    quote = connection.ops.quote_name
    fields = [model._meta.get_field(name) for name in names]
    changes = ", ".join(f"{quote(field.column)} = %s" for field in fields)
    table, key = quote(model._meta.db_table), quote(model._meta.pk.column)
    with connection.cursor() as cursor:
        cursor.executemany(
            f"UPDATE {table} SET {changes} WHERE {key} = %s",
            [
                [
                    *(
                        None if value is None else field.get_db_prep_save(value, connection)
                        for field, value in zip(fields, row, strict=False)
                    ),
                    row[-1],
                ]
                for row in rows
            ],
        )


class Migration(migrations.Migration):
    # Batch by batch: however many items there are, none of them waits for all.
    atomic = False

    dependencies = [("quizzes", "0008_wordings")]

    operations = [migrations.RunPython(keep_wordings, show_again)]
