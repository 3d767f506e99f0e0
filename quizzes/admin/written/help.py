"""The lines of the language, for the help beside the text. Functions come from the core."""

from django.utils.translation import gettext_lazy as _

# Each as it is put into the text, and what it does.
LINES = (
    ("title: Sums", _("names the problem")),
    ("summary: A sum by hand.", _("says in one sentence what’s to be done")),
    ("sizes: n = 3, 2", _("offers sizes; the first of each is the default")),
    ("sizes: T(tokens) = 3, 2; d = 2, 4", _("offers two sizes; in quizzes, T is called “tokens”")),
    ('x: tenths(n) "$x$, the numbers"', _("gives students these numbers, with a caption")),
    ("keep var(x) >= 0.5", _("refuses draws that don’t meet it")),
    ("statement: Add up these {n} numbers.", _("is what the student reads first")),
    ("total = sum(x)", _("is a step that the student types")),
    ("    label: The sum", _("says what to type in the step above")),
    ("    hint: Add the first two.", _("is the first hint in practice")),
    ("    how: Add up all numbers.", _("is the sentence of the worked solution")),
    ("    weight: 2", _("is the step’s share of the points, 1 to 10")),
    ("    decimals: 0", _("asks for whole numbers; otherwise three decimals")),
    ("    without: averaged", _("leaves out a mistake that Softmark finds")),
    ("    reword averaged: Don’t divide.", _("gives a mistake other feedback")),
    ('halved: total = sum(x) / 2 : "Don’t halve it."', _("adds a mistake of your own")),
    ("# A note", _("is a note for yourself")),
)
