"""The names of the machine's heads."""

from attention_core.machine.model import machine
from lessons.real_model.maps import Head
from lessons.widgets.attention_map import head_name


def heads_by_name() -> dict[tuple[int, int], str]:
    """Return the name of every head of the machine, by layer and head."""
    places = ((n, head) for n in range(len(machine().layers)) for head in range(machine().heads))
    return {place: head_name(Head(*place, weights=[])) for place in places}
