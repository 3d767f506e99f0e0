"""Rules find the mistakes of a formula: the shipped ones of attention, and each rule's own."""

import numpy as np
import pytest

from attention_core.catalogue import family
from attention_core.errors import FormulaError
from attention_core.formulas.compute import compute
from attention_core.formulas.functions import FUNCTIONS
from attention_core.formulas.lengths import Length
from attention_core.formulas.rewriting import Found, find
from attention_core.formulas.rules import RULES
from attention_core.formulas.shapes import Axis, Scope, infer
from attention_core.formulas.trees import Call, Node, parse, walk
from attention_core.problems.family import Values
from attention_core.problems.rounding import EXACT

SIZES = {"T": 3, "d": 3, "n": 3, "h": 2}
# The names that all formulas below may read, all of one size, so that whatever is square fits.
SHAPES = {
    **dict.fromkeys(["Q", "K", "V", "X", "Z", "scores", "seen", "A", "P"], (3, 3)),
    **dict.fromkeys(["W", "W_1", "W_2", "W_Q1", "W_K1", "W_Q2", "W_K2"], (3, 3)),
    **dict.fromkeys(["x", "y", "a", "b", "c", "q", "k", "v", "w", "word", "hidden"], (3,)),
    "W_O": (6, 6),
    **dict.fromkeys(["s", "t", "m", "N"], ()),
}
EARLIER = {
    "scaled": "X @ x / sqrt(d)",
    "weights": "softmax(scaled)",
    "new_scores": "q @ stack(K, k).T / sqrt(d)",
    "new_weights": "softmax(new_scores)",
    "total": "x + y",
    "joined": "concat(X, Z)",
    "rms": "sqrt(mean(x ** 2))",
    "first": "softmax(scores) @ V",
}

FOUND = [
    # Scores, scales and softmaxes
    ("Q @ K.T", "transposed not_transposed feature_gram elementwise signs_dropped"),
    ("X @ X.T", "feature_gram not_transposed elementwise signs_dropped sums_multiplied"),
    ("X @ W_Q1 @ (X @ W_K1).T", "other_projection transposed"),
    ("q @ k", "signs_dropped sums_multiplied"),
    ("K @ q", "signs_dropped sums_multiplied k_for_q"),
    ("scores / sqrt(d)", "unscaled scaled_by_dk multiplied_scale"),
    ("softmax(scores)", "column_softmax global_softmax no_exponential unnormalised base_two"),
    ("softmax(scores)", "hard_max uniform"),
    ("softmax(x / t)", "temperature_ignored times_temperature temperature_after"),
    ("softmax(s * x)", "unchanged temperature_after scaled_down"),
    ("softmax(x * s)", "unchanged temperature_after scaled_down"),
    ("softmax(mask(scores, seen))", "mask_after mask_zero mask_past mask_self unmasked"),
    ("softmax(mask(scores, seen))", "uniform hard_max no_exponential column_softmax"),
    ("softmax(new_scores)", "mask_self"),
    ("softmax(scaled)", "mask_self"),
    # Blends
    ("A @ V", "mixed_keys weight_column unmixed uniform hard_max"),
    ("w @ V", "unweighted_sum column_vectors weights_reversed uniform hard_max"),
    ("weights @ X", "unmixed unweighted_sum"),
    ("new_weights @ stack(V, v)", "mixed_keys cache_alone"),
    ("A @ X @ W", "other_projection"),
    ("softmax(A) @ X", "same_output"),
    # Heads
    ("X @ W_1", "other_projection column_vectors elementwise swapped_factors not_projected"),
    ("X @ where(s == 0, W_1, W_2)", "other_projection column_vectors"),
    ("concat(X, Z)", "heads_swapped dealt_out heads_averaged"),
    ("joined @ W_O", "no_output_projection heads_averaged one_head column_vectors"),
    ("concat(X, Z) @ W_O", "heads_swapped no_output_projection"),
    ("split(joined, 2, 0)", "other_head"),
    # Layers
    ("x @ W_1 + b", "no_bias column_vectors activated_early"),
    ("relu(x) @ W_2 + b", "no_activation signs_dropped no_bias activated_output"),
    ("silu(x @ W)", "no_activation relu_for_silu sigmoid_alone other_projection"),
    ("x + relu(y)", "no_residual no_sublayer"),
    ("X[word] + Z[word]", "no_residual no_sublayer subtracted multiplied"),
    ("layer_norm(x)", "no_mean sample_variance variance_not_sd not_divided"),
    ("layer_norm(total)", "norm_before_add no_residual"),
    ("layer_norm(X[word] + Z[word])", "norm_before_add no_residual across_tokens"),
    ("layer_norm(X)", "across_tokens"),
    ("rms_norm(x)", "mean_subtracted no_root length_not_rms"),
    ("sqrt(mean(x ** 2))", "no_root sum_not_mean mean_subtracted sample_variance"),
    ("x / rms", "layer_norm mean_subtracted variance_not_sd multiplied_scale"),
    # Arithmetic
    ("dot(a, b) / (norm(a) * norm(b))", "no_norms no_root added_lengths"),
    ("norm(a - b)", "no_root city_blocks added_vectors lengths_subtracted"),
    ("var(x)", "sample_variance mean_of_squares deviation_not_variance"),
    ("mean(X, 0)", "not_averaged rows_for_columns"),
    ("sum(X, axis=1)", "averaged rows_for_columns"),
    ("max(x)", "smallest"),
    ("min(x)", "largest"),
    ("a - c", "wrong_way_round added no_c"),
    ("P - X", "divided off_by_one"),
    ("a + x", "subtracted multiplied no_x no_a"),
    ("cos(s)", "sin_cos_swapped degrees"),
    ("log(s)", "base_two base_ten no_log"),
    ("exp(-s)", "base_two base_ten no_exp sign_lost"),
    ("outer(a, c)", "transposed"),
    # Terms and factors
    ("a - x + c", "signs_exchanged all_added all_subtracted difference_only"),
    ("s + N * (m + t)", "no_s no_N added_too_early brackets_lost no_factor"),
    ("2 * s * m", "no_factor_2 no_m counted_twice"),
    ("4 * N ** 2", "one_too_few no_factor_4 counted_twice not_squared"),
    ("m * (s * t)", "no_m squared doubled"),
    ("s / m", "multiplied_scale root_of_divisor divided_twice upside_down not_divided"),
    ("x / sum(x)", "over_largest over_count"),
    ("sqrt(s)", "variance_not_sd halved"),
    ("N - 1", "no_term_1 ends_left_out"),
    ("N ** 2", "not_squared mask_self pairs_once mask_applied doubled"),
    # Reading
    ("X[1]", "off_by_one column_for_row"),
    ("X[:, 1]", "row_for_column"),
    ("X[word]", "off_by_one column_for_row"),
    ("X[1:] + P[:-1]", "off_by_one first_position"),
    ("P[1:]", "off_by_one"),
    ("take(X, c)", "order_ignored moved_back columns_moved both_moved"),
    ("take(X, c)", "off_by_one position_for_id order_lost"),
    ("hidden @ W", "w_for_hidden column_vectors"),
    ("s + t", "m_for_t"),
    ("stack(N, m)", "transposed score_shape t_for_m"),
    ("stack(N, s * m)", "heads_stacked no_s"),
    ("stack(K, k)", "swapped_rows"),
]


def scope() -> Scope:
    """Return the givens, then the earlier steps, which read them."""
    shapes = {name: tuple(map(Length, shape)) for name, shape in SHAPES.items()}
    sizes = {name: Length(size, name) for name, size in SIZES.items()}
    read_off = {"T": Axis("X", -2), "d": Axis("X", -1)}
    found = Scope(shapes, sizes, read_off, frozenset({"word"}))
    for name, formula in EARLIER.items():
        shapes[name] = infer(parse(formula), found)
    return found


def found_in(formula: str) -> dict[str, Found]:
    weights = frozenset({"A", "w", "weights", "new_weights"})
    earlier = {name: parse(text) for name, text in EARLIER.items()}
    found = find(parse(formula), scope(), weights, RULES, earlier)
    return {each.key: each for each in found}


@pytest.mark.parametrize(("formula", "keys"), FOUND)
def test_a_rule_finds_mistakes_of_the_steps_own_shape(formula, keys):
    found, names = found_in(formula), scope()
    assert not {*keys.split()} - found.keys()
    shape = infer(parse(formula), names)
    assert all(infer(found[key].tree, names) == shape for key in keys.split())


def test_mistakes_are_left_out_whose_condition_is_no_number_and_others_are_kept():
    assert "unscaled" not in found_in("x / sqrt(y)")
    assert "scaled_by_dk" in found_in("x / sqrt(y)")
    assert found_in("relu(s) + 1")["activated_output"].condition == parse("relu(s) + 1 < -0.1")


def test_columns_are_dealt_out_from_arrays_of_one_width():
    assert fitting_shape(found_in("concat(X, W_O[:3])")["dealt_out"].tree, scope()) is None


def test_a_query_and_its_key_are_taken_for_nothing_else():
    assert not [key for key in found_in("Q @ K.T") if "_for_" in key]


def test_every_mistake_found_can_be_computed_where_its_shapes_fit(subtests):
    names = scope()
    numbers = np.random.default_rng(seed=7)
    values = Values({name: numbers.uniform(0.5, 2, shape) for name, shape in SHAPES.items()})
    values["word"] = np.array([0.0, 1, 0])
    for name, formula in EARLIER.items():
        values[name] = np.asarray(compute(parse(formula), names)(EXACT, values))
    values |= {name: np.array(float(size)) for name, size in SIZES.items()}
    for formula in dict(FOUND):
        for key, found in found_in(formula).items():
            with subtests.test(formula=formula, key=key), np.errstate(all="ignore"):
                shape = fitting_shape(found.tree, names)
                if shape is not None:
                    assert np.shape(compute(found.tree, names)(EXACT, values)) == shape
                if found.condition:
                    assert not np.shape(compute(found.condition, names)(EXACT, values))


def fitting_shape(tree: Node, names: Scope) -> tuple[Length, ...] | None:
    """Return the shape of a formula's value; None if its operands don't fit each other."""
    assert all(part.function in FUNCTIONS for part in walk(tree) if isinstance(part, Call))
    try:
        return infer(tree, names)
    except FormulaError:
        return None


def test_the_shipped_mistakes_of_attention_are_found():
    formulas = {
        "scores": "Q @ K.T",
        "scaled": "scores / sqrt(d_k)",
        "weights": "softmax(scaled)",
        "output": "weights @ V",
    }
    sizes = {"T": Length(2, "T"), "d_k": Length(3, "d_k")}
    shapes = dict.fromkeys("QKV", (sizes["T"], sizes["d_k"]))
    names = Scope(shapes, sizes, {"T": Axis("Q", -2), "d_k": Axis("Q", -1)})
    for step in family("attention").steps:
        tree = parse(formulas[step.key])
        found = find(tree, names, frozenset({"weights"}), RULES)
        assert {known.key for known in step.mistakes} <= {each.key for each in found}
        shapes[step.key] = infer(tree, names)
