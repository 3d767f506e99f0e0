"""The rules that find mistakes, in the order in which mistakes are tried."""

from attention_core.formulas.rules import arithmetic, attention, factors, heads, layers, operands

RULES = (
    *attention.RULES,
    *heads.RULES,
    *layers.RULES,
    *factors.RULES,
    *arithmetic.RULES,
    *operands.RULES,
)
