"""The rules that find mistakes, in the order in which mistakes are tried."""

from attention_core.formulas.rules import arithmetic, attention, layers

RULES = (*attention.RULES, *layers.RULES, *arithmetic.RULES)
