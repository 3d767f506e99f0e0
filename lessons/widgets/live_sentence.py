"""Widget: the learner's own sentence, read by a real model in a worker."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from lessons.markdown.inline import render_inline
from lessons.markdown.parameters import check_caption, check_text
from lessons.real_model import encoder, maps
from lessons.real_model.maps import Head
from lessons.widget import Widget, radio_group_name, render_template
from lessons.widgets.attention_map import attention_html, head_name


@dataclass(frozen=True, kw_only=True)
class LiveSentence:
    """The initial sentence."""

    start: str
    caption: str = ""

    def __post_init__(self):
        check_text("start", self.start)
        check_caption(self.caption)


def draw(given: LiveSentence) -> SafeString:
    return render_template(
        "live_sentence",
        {
            "installed": encoder.is_installed(),
            "text": given.start,
            "html_id": radio_group_name(given),
            "caption": render_inline(given.caption),
        },
    )


def reading_html(result: Mapping[str, Any]) -> SafeString:
    """Return the map of the model's reading of a sentence."""
    heads = [Head(**head) for head in result["heads"]]
    return attention_html(
        result["tokens"],
        [(head_name(head), head.weights) for head in heads],
        chosen=1,  # the first word; [CLS] comes before it
        model=maps.attention_map("animal_it").model,
    )


WIDGET = Widget(
    about=gettext_lazy("A sentence of the reader’s own, and where its words look in a real model."),
    example="""
start: The animal didn't cross the street because it was too tired
""",
    parameters=LiveSentence,
    draw=draw,
)
