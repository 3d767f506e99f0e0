from django.db import migrations

# SQLite drops a table's triggers along with it, as Django does to change a column; a migration that
# changes this table has to put them back, and a test notices where one did not.
APPEND = {
    "sqlite": [
        f"""
        CREATE TRIGGER audit_event_no_{deed} BEFORE {deed} ON audit_event
        BEGIN SELECT RAISE(ABORT, 'what was done is never changed'); END
        """
        for deed in ("update", "delete")
    ],
    "postgresql": [
        """
        CREATE FUNCTION audit_event_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'what was done is never changed' USING ERRCODE = '23001'; END $$
        """,
        """
        CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR DELETE ON audit_event
        FOR EACH ROW EXECUTE FUNCTION audit_event_append_only()
        """,
    ],
}
CHANGE = {
    "sqlite": [f"DROP TRIGGER audit_event_no_{deed}" for deed in ("update", "delete")],
    "postgresql": ["DROP FUNCTION audit_event_append_only CASCADE"],
}


def _in_the_database(statements):
    def run(apps, schema_editor):
        for statement in statements.get(schema_editor.connection.vendor, ()):
            schema_editor.execute(statement)

    return run


class Migration(migrations.Migration):
    """The database, too, refuses to change what was done."""

    dependencies = [("audit", "0001_initial")]

    operations = [
        migrations.RunPython(_in_the_database(APPEND), _in_the_database(CHANGE)),
    ]
