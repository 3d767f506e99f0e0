"""Problems written as formulas: drawn, solved, explained and proven as the Python families are."""

from attention_core.errors import FormulaError
from attention_core.formulas.family import read

__all__ = ["FormulaError", "read"]
