"""The test cases of the ONNX standard, each within its own tolerance."""

import importlib
from collections import Counter
from unittest import mock

import numpy as np
import pytest

from attention_core import attention
from tests.attention_core.maths import onnx_operators

# The number of cases in onnx 1.23, and our function for the operator. A case that is added or
# removed changes the number, so that none is skipped in silence.
OPERATORS = {
    "Attention": (93, onnx_operators.run_attention),
    "LayerNormalization": (19, onnx_operators.run_layer_normalization),
    "RMSNormalization": (19, onnx_operators.run_rms_normalization),
    "Softmax": (7, onnx_operators.run_softmax),
    "RotaryEmbedding": (8, onnx_operators.run_rotary_embedding),
    "Gelu": (4, onnx_operators.run_gelu),
}
# NumPy has no bfloat16.
BFLOAT16 = {"Attention": 5}


@pytest.fixture(scope="session")
def cases():
    """Cases by operator, without those that take an operator apart into others."""
    from onnx.backend.test.case import node

    # Importing a module registers its cases; all two hundred modules take seconds.
    for operator in OPERATORS:
        importlib.import_module(f"onnx.backend.test.case.node.{operator.lower()}")
    with mock.patch.object(node, "import_recursive"):
        collected = node.collect_testcases()
    by_operator = {operator: [] for operator in OPERATORS}
    for case in collected:
        if "_expanded" not in case.name:
            by_operator[case.model.graph.node[0].op_type].append(case)
    return by_operator


def attributes(node):
    from onnx.helper import get_attribute_value

    return {attribute.name: get_attribute_value(attribute) for attribute in node.attribute}


@pytest.mark.slow
@pytest.mark.xdist_group("onnx")
@pytest.mark.parametrize("operator", OPERATORS)
def test_it_computes_what_the_standard_says(operator, cases, subtests):
    expected, run = OPERATORS[operator]
    skipped = Counter()
    for case in cases[operator]:
        [node] = case.model.graph.node
        [(given, wanted)] = case.data_sets
        if any(array.dtype.name == "bfloat16" for array in given):
            skipped["bfloat16"] += 1
            continue
        left = iter(given)
        inputs = [next(left) if name else None for name in node.input]
        with subtests.test(case.name):
            outputs = run(*inputs, **attributes(node))
            asked = [output for name, output in zip(node.output, outputs, strict=False) if name]
            for output, right in zip(asked, wanted, strict=True):
                assert output.shape == right.shape
                # Half precision is computed in full here and rounded at the operator's output.
                output = output.astype(right.dtype)
                np.testing.assert_allclose(output, right, rtol=case.rtol, atol=case.atol)
    assert len(cases[operator]) == expected
    assert skipped["bfloat16"] == BFLOAT16.get(operator, 0)


@pytest.mark.parametrize("mask", [np.zeros((3, 4)), np.ones((3, 4), dtype=bool)])
def test_keys_beyond_the_end_of_a_mask_are_hidden(mask):
    """The standard says so, but none of its cases tests it."""
    Q, K, V = np.random.default_rng(1).normal(size=(3, 1, 2, 6, 8))
    Q = Q[..., :3, :]
    output, *_ = onnx_operators.run_attention(Q, K, V, mask)
    assert np.allclose(output, attention(Q, K[..., :4, :], V[..., :4, :]))
