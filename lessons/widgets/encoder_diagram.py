"""Widget: an encoder's block as a diagram, in which each part explains itself when chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lessons.errors import ContentError
from lessons.markdown.inline import render_inline
from lessons.markdown.parameters import check_caption, check_choice, check_text, check_whole
from lessons.widget import Widget, render_template

NORMS = ("post", "pre")
MAX_LAYERS = 999

# Each part's name, and its explanation unless the author gives another.
PARTS = {
    "input": (
        gettext_lazy("Tokens in"),
        gettext_lazy(
            "One vector of $d$ numbers for each token: its embedding plus its position, or the"
            " output of the block before."
        ),
    ),
    "attention": (
        gettext_lazy("Multi-head attention"),
        gettext_lazy(
            "The one place where tokens meet. In every head each token looks at "
            "all the tokens, itself included, and takes in a blend of their "
            "values; the heads are joined and mixed by $W_O$."
        ),
    ),
    "add_1": (
        gettext_lazy("Add"),
        gettext_lazy(
            "The residual connection: the input goes around attention and is added to its output."
            " So attention only has to learn the change, nothing is lost on the way, and gradients"
            " have a direct path back."
        ),
    ),
    "feed_forward": (
        gettext_lazy("Feed-forward (%(activation)s)"),
        gettext_lazy(
            "Two linear maps with %(activation)s between them: out to a wider vector, often four"
            " times as wide, and back to $d$. Each token goes through them by itself, and all"
            " share the same weights."
        ),
    ),
    "add_2": (
        gettext_lazy("Add"),
        gettext_lazy(
            "The second residual connection: the feed-forward network’s input goes around the"
            " network and is added to its output."
        ),
    ),
    "output": (
        gettext_lazy("Tokens out"),
        gettext_lazy(
            "As many vectors of $d$ numbers as came in, each now coloured by its context. Input"
            " and output share one shape, so the next block takes them as they are."
        ),
    ),
}
NORM = gettext_lazy("Norm")
NORM_SAYS = {
    "post": (
        gettext_lazy(
            r"Layer normalisation of the sum, $\mathrm{LayerNorm}(x + \mathrm{Attention}(x))$:"
            " each token’s numbers are brought to mean 0 and variance 1, then scaled and shifted"
            " by learned amounts. No token grows out of range."
        ),
        gettext_lazy(
            r"The same for the second sum, $\mathrm{LayerNorm}(h + \mathrm{FFN}(h))$, with"
            " learned amounts of its own. In post-norm nothing leaves a block unnormalised."
        ),
    ),
    "pre": (
        gettext_lazy(
            "Layer normalisation before attention, $x + "
            r"\mathrm{Attention}(\mathrm{LayerNorm}(x))$: attention sees "
            "normalised numbers, while the residual path around it stays "
            "untouched. That makes deep stacks easier to train."
        ),
        gettext_lazy(
            "The same before the feed-forward network, $h +"
            r" \mathrm{FFN}(\mathrm{LayerNorm}(h))$, with learned amounts of its own. After the"
            " last block one more norm is needed, because the sums themselves are never"
            " normalised."
        ),
    ),
}


@dataclass(frozen=True, kw_only=True)
class EncoderDiagram:
    """The norms' place, the activation, the number of blocks, and the author's explanations."""

    norm: str
    activation: str = "ReLU"
    layers: int = 1
    parts: Mapping[str, str] = field(default_factory=dict)
    caption: str = ""

    def __post_init__(self):
        check_choice("norm", self.norm, NORMS)
        check_text("activation", self.activation)
        check_whole("layers", self.layers, least=1)
        if self.layers > MAX_LAYERS:
            words = _("%(name)s must be at most %(most)s")
            raise ContentError(words % {"name": "layers", "most": MAX_LAYERS})
        check_caption(self.caption)
        if not isinstance(self.parts, Mapping):
            raise ContentError(_("parts are lines of the form attention: what to say about it"))
        known = [*PARTS, "norm_1", "norm_2"]
        for key, text in self.parts.items():
            check_choice(_("each of the parts"), key, known)
            check_text(_("the text of %(part)s") % {"part": key}, text)


def draw(given: EncoderDiagram) -> SafeString:
    first, second = ["attention", "add_1"], ["feed_forward", "add_2"]
    if given.norm == "post":
        first, second = [*first, "norm_1"], [*second, "norm_2"]
    else:
        first, second = ["norm_1", *first], ["norm_2", *second]
    halves = [_parts(given, first), _parts(given, second)]
    ends = _parts(given, ["input", "output"])
    context = {
        "norm": given.norm,
        "input": ends[0],
        "halves": halves,
        "output": ends[1],
        "parts": [ends[0], *halves[0], *halves[1], ends[1]],
        "layers": given.layers,
    }
    return render_template("encoder_diagram", context, given)


def _parts(given: EncoderDiagram, keys: Sequence[str]) -> list[dict[str, str]]:
    return [
        {"key": key, "title": _title(given, key), "says": render_inline(_explanation(given, key))}
        for key in keys
    ]


def _title(given: EncoderDiagram, key: str) -> str:
    title = PARTS[key][0] if key in PARTS else NORM
    return str(title).replace("%(activation)s", given.activation)


def _explanation(given: EncoderDiagram, key: str) -> str:
    if key in given.parts:
        return given.parts[key]
    if key in PARTS:
        says = str(PARTS[key][1]).replace("%(activation)s", given.activation)
        if key == "output" and given.layers > 1:
            stack = _("There are %(count)d such blocks, each with weights of its own.")
            says += " " + stack % {"count": given.layers}
        return says
    return str(NORM_SAYS[given.norm][int(key == "norm_2")])


WIDGET = Widget(
    about=gettext_lazy("The boxes from the input down to the output, and what each of them says."),
    example="""
norm: post
activation: ReLU
layers: 6
""",
    parameters=EncoderDiagram,
    draw=draw,
)
