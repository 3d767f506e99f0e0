"""The form of a problem's text, and what its page is asked besides saving."""

import re
from pathlib import Path

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from quizzes import problems
from quizzes.admin.written.builder import fault_of
from quizzes.models import WrittenProblem

# A file larger than this cannot be a text within the language's bounds.
MAX_UPLOAD = 4 * problems.MAX_TEXT
# Lines of the field where the text is shorter.
MIN_ROWS = 18
EXAMPLES = Path(__file__).parents[2] / "written" / "examples"
EXAMPLE_TITLES = {
    "attention": gettext_lazy("Attention in three steps"),
    "z_scores": gettext_lazy("Mean and z-scores"),
}
_SIZE, _SEED = "size-", re.compile("[0-9]{1,6}")


class ProblemForm(forms.ModelForm):
    """The text of a problem. A fault in it is no error, except where it is to be published."""

    publishing = False

    text = forms.CharField(
        label=gettext_lazy("Text"),
        max_length=problems.MAX_TEXT,
        error_messages={"required": gettext_lazy("Write the problem, or begin with an example.")},
        widget=forms.Textarea(
            attrs={
                "wrap": "off",
                "spellcheck": "false",
                "autocapitalize": "off",
                "autocomplete": "off",
                "class": "pw-text",
                "aria-describedby": "pw-fault",
            }
        ),
    )

    class Meta:
        model = WrittenProblem
        fields = ("text", "corrects")

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if "corrects" in self.fields and not _can_correct(self.instance):
            del self.fields["corrects"]
        if "text" in self.fields:
            lines = str(self["text"].value() or "").count("\n") + 2
            self.fields["text"].widget.attrs["rows"] = max(lines, MIN_ROWS)

    def clean_text(self):
        text = self.cleaned_data["text"].replace("\r\n", "\n")
        if self.publishing and (fault := fault_of(text)):
            words = _(
                "It can’t be published yet: line %(line)s has a fault. Fix it, or save the draft"
                " as it is."
            )
            raise forms.ValidationError(words % {"line": fault.line})
        return text


def _can_correct(problem: WrittenProblem) -> bool:
    """Return whether there is an earlier version whose marks this one may correct."""
    return problem.pk is not None and (problem.version > 1 or not problem.is_draft)


def read_example(name: str) -> str:
    """Return the text of an example to begin from; "" if there is none of this name."""
    if name not in EXAMPLE_TITLES:
        return ""
    return (EXAMPLES / f"{name}.txt").read_text("utf-8")


def read_upload(file) -> str | None:
    """Return the text of an uploaded file; None if it is too long or no text."""
    if file.size > MAX_UPLOAD:
        return None
    try:
        text = file.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def seed_in(sent) -> int:
    """Return the number of the variant to show: the sent one, or the next if another is asked."""
    typed = sent.get("seed", "")
    seed = int(typed) if _SEED.fullmatch(typed) else 1
    return seed + 1 if "another" in sent else seed


def sizes_in(sent) -> dict[str, int]:
    """Return the sizes chosen for the variant to show."""
    return {
        name.removeprefix(_SIZE): int(size)
        for name, size in sent.items()
        if name.startswith(_SIZE) and re.fullmatch("[0-9]{1,3}", size)
    }
