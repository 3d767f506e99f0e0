"""The rules that find mistakes, in the order in which mistakes are tried."""

from attention_core.formulas.rules import (
    arithmetic,
    factors,
    heads,
    layers,
    operands,
    products,
    softmaxes,
)

RULES = (
    *products.RULES,
    *softmaxes.RULES,
    *heads.RULES,
    *layers.RULES,
    *factors.RULES,
    *arithmetic.RULES,
    *operands.RULES,
)
