"""The form of the machine's page: a sentence, how to draw words, what to take away."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from attention_core.errors import NothingToRead, TooManyWords, UnknownWord
from attention_core.machine.replays import AS_BUILT, replay
from attention_core.machine.tokens import format_unknown, tokens_of
from attention_core.machine.words import VOCABULARY
from lessons.machine.heads import heads_by_name

MAX_LENGTH = 300
# An unfinished sentence: there is something to look back to, and a word to come.
FIRST = "the keys near the old box"
EXAMPLES = (
    FIRST,
    "anna has a ball and tom has a cup so she gives the cup to",
    "the old queen is hungry so",
    "mary says red dog two and jack says red",
    "king is to queen as boy is to",
    "two plus three is",
)


# Initial values: a head that finds something, and the end of training.
INITIAL = {
    "text": FIRST,
    "temperature": "1",
    "seed": "1",
    "head": "2.2",
    "replayed": "0",
    "watched": "2.2",
    "at": "",
    "to": "",
}
# The id of the page's only form, and its fields that stand beside what they choose.
ASKING = "asking"
ELSEWHERE = ("head", "at", "to")
REPLAYED = ("replayed", "watched", "step")
ALWAYS = ("head", *REPLAYED)


class MachineForm(forms.Form):
    """A form whose fields all have an initial value, so that a URL can leave them out."""

    text = forms.CharField(
        label=gettext_lazy("Your sentence, or the start of one"),
        max_length=MAX_LENGTH,
        required=False,
    )
    temperature = forms.FloatField(
        label=gettext_lazy("Temperature"), min_value=0.1, max_value=5, required=False
    )
    top_k = forms.IntegerField(
        label=gettext_lazy("Top-k"), min_value=1, max_value=len(VOCABULARY), required=False
    )
    top_p = forms.FloatField(
        label=gettext_lazy("Top-p"), min_value=0.01, max_value=1, required=False
    )
    seed = forms.IntegerField(
        label=gettext_lazy("Seed"), min_value=0, max_value=999_999, required=False
    )
    silent = forms.ChoiceField(label=gettext_lazy("Silence a head"), required=False)
    empty = forms.ChoiceField(label=gettext_lazy("Empty the values of a word"), required=False)
    swapped = forms.ChoiceField(label=gettext_lazy("Swap a word"), required=False)
    other = forms.CharField(label=gettext_lazy("for"), max_length=20, required=False)
    head = forms.ChoiceField(label=gettext_lazy("Head"), required=False)
    at = forms.ChoiceField(label=gettext_lazy("The query of"), required=False)
    to = forms.ChoiceField(label=gettext_lazy("The key of"), required=False)
    vectors = forms.BooleanField(
        label=gettext_lazy("Show the head’s Q, K and V too"), required=False
    )
    replayed = forms.ChoiceField(label=gettext_lazy("Sentence"), required=False)
    watched = forms.ChoiceField(label=gettext_lazy("Head"), required=False)
    step = forms.ChoiceField(label=gettext_lazy("Training step"), required=False)

    def __init__(self, asked: dict[str, Any]) -> None:
        # The fields show their initial values too.
        record = replay(AS_BUILT)
        at_first = INITIAL | {"step": str(record.kept[-1])}
        # One of these is always chosen.
        chosen = {name: value for name, value in asked.items() if value or name not in ALWAYS}
        super().__init__(at_first | chosen)
        try:
            self.tokens, self._unread = tokens_of(self.data["text"][:MAX_LENGTH]), ""
        except (NothingToRead, TooManyWords, UnknownWord) as trouble:
            self.tokens, self._unread = (), describe_error(trouble)
        heads = [(f"{n}.{head}", name) for (n, head), name in heads_by_name().items()]
        places = [(str(n), f"{n}: {word}") for n, word in enumerate(self.tokens)]
        # A word that was chosen in a longer sentence may no longer exist.
        for field in ("at", "to"):
            if self.data.get(field) not in dict(places):
                self.data[field] = ""
        for field, choices in (
            ("silent", [("", _("none")), *heads]),
            ("empty", [("", _("none")), *places]),
            ("swapped", [("", _("none")), *places[1:]]),
            ("head", heads),
            ("at", [("", _("the last token")), *places]),
            ("to", [("", _("the largest weight")), *places]),
            ("replayed", [(str(n), " ".join(of[1:])) for n, of in enumerate(record.sentences)]),
            ("watched", heads),
            ("step", [(str(step), str(step)) for step in record.kept]),
        ):
            self.fields[field].choices = choices
        for field in (*ELSEWHERE, "vectors", *REPLAYED):
            self.fields[field].widget.attrs["form"] = ASKING

    @property
    def is_unfolded(self) -> bool:
        """Whether a field below the sentence has another value than initially."""
        return any(
            (field.value() or "") != INITIAL.get(field.name, "")
            for field in (*self.drawing, *self.taking)
        )

    @property
    def drawing(self) -> list[forms.BoundField]:
        """The fields for how the next word is drawn."""
        return [self[name] for name in ("temperature", "top_k", "top_p", "seed")]

    @property
    def scoring(self) -> list[forms.BoundField]:
        """The fields that choose the score that is written out."""
        return [self[name] for name in ELSEWHERE]

    @property
    def taking(self) -> list[forms.BoundField]:
        """The fields for what is taken away."""
        return [self[name] for name in ("silent", "empty", "swapped", "other")]

    def clean_text(self) -> str:
        if self._unread:
            raise forms.ValidationError(self._unread)
        return self.cleaned_data["text"]

    @property
    def replaying(self) -> list[forms.BoundField]:
        """The fields that choose what is shown of the training."""
        return [self[name] for name in REPLAYED]

    @property
    def below(self) -> list[forms.BoundField]:
        """The fields that are next to what they choose."""
        return [*self.scoring, *self.replaying]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        other = cleaned.get("other", "").strip().lower()
        if cleaned.get("swapped"):
            try:
                (_start, *words) = tokens_of(other)
            except (NothingToRead, TooManyWords, UnknownWord) as trouble:
                self.add_error("other", describe_error(trouble))
            else:
                if len(words) != 1:
                    self.add_error("other", _("Type one word to put in its place."))
        return cleaned | {"other": other}


def describe_error(trouble: NothingToRead | TooManyWords | UnknownWord) -> str:
    """Return what is wrong with a text and what to do about it, in the reader's language."""
    match trouble:
        case UnknownWord():
            return _("The machine doesn’t know %(words)s. All its words are listed below.") % {
                "words": format_unknown(trouble.unknown)
            }
        case TooManyWords():
            return _(
                "The machine reads up to %(most)s words, but this has %(words)s. "
                "Leave some out at the end."
            ) % {"most": trouble.most, "words": trouble.words}
    return _("There’s no word to read. Type one, such as “the”.")
