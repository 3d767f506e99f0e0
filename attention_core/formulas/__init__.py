"""Problems written as formulas: drawn, solved, explained and proven as the Python families are."""

from attention_core.errors import FormulaError
from attention_core.formulas.advice import advise
from attention_core.formulas.editing import edit_mistakes
from attention_core.formulas.family import read, sketch, try_text
from attention_core.formulas.reference import FunctionEntry, reference

# The version of the language. A change after which a text gives other numbers, or is refused,
# takes the next one.
LANGUAGE = 1

__all__ = [
    "LANGUAGE",
    "FormulaError",
    "FunctionEntry",
    "advise",
    "edit_mistakes",
    "read",
    "reference",
    "sketch",
    "try_text",
]
