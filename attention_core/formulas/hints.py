"""Hints in errors: what to type instead of what isn't understood."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

# What authors type of other notations, and what it's called here.
_INSTEAD = {
    "^": "write a power as x ** 2",
    "·": "write dot(a, b) for vectors, * for numbers",
    "×": "write * between factors",
    "⋅": "write dot(a, b) for vectors, * for numbers",
    "∙": "write dot(a, b) for vectors, * for numbers",
    "•": "write dot(a, b) for vectors, * for numbers",
    "÷": "write / to divide",
    "−": "type the keyboard’s minus sign, -",
    "–": "type the keyboard’s minus sign, -",
    "√": "write a root as sqrt(x)",
    "²": "write a square as x ** 2",
    "³": "a power is written x ** 3",
    "ᵀ": "transpose a matrix with K.T",
    "⊤": "transpose a matrix with K.T",
    "≤": "write <=",
    "≥": "write >=",
    "≠": "write !=",
    "Σ": "write a sum as sum(x)",
    "∑": "write a sum as sum(x)",
    "π": "write pi as a name, 3.1416 as a number",
    "‖": "norm(x) is a vector’s length",
    "|": "abs(x) is the absolute value, norm(x) a vector’s length",
    "{": "use round brackets",
    "}": "use round brackets",
    "'": "transpose a matrix with K.T",
    "%": "divide by 100 instead",
    ";": "write one formula per line",
    "\\": "write sqrt(x), not LaTeX",
    "$": "leave out the $ signs",
    '"': "put a step’s label on a line of its own below it",
}
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda_", "μ": "mu", "µ": "mu",
    "ν": "nu", "ξ": "xi", "ρ": "rho", "σ": "sigma", "ς": "sigma", "τ": "tau", "υ": "upsilon",
    "φ": "phi", "ϕ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega", "ϵ": "epsilon", "Δ": "Delta",
    "Γ": "Gamma", "Θ": "Theta", "Λ": "Lambda", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
# LaTeX’s commands, apart from letters.
_COMMANDS = {
    "frac": "(a) / (b)", "dfrac": "(a) / (b)", "tfrac": "(a) / (b)", "sqrt": "sqrt(x)",
    "sum": "sum(x)", "cdot": "dot(a, b) for vectors, * for numbers", "times": "*", "div": "/",
    "exp": "exp(x)", "ln": "log(x)", "log": "log(x)", "max": "max(x)", "min": "min(x)",
    "bar": "mean(x)", "overline": "mean(x)", "top": "K.T", "leq": "<=", "le": "<=", "geq": ">=",
    "ge": ">=", "neq": "!=", "ne": "!=", "lVert": "norm(x)", "Vert": "norm(x)", "lvert": "abs(x)",
    "left": "a plain bracket", "right": "a plain bracket",
}  # fmt: skip
_FUNCTIONS = {
    "avg": "mean(x)",
    "average": "mean(x)",
    "ln": "log(x)",
    "log2": "log(x) / log(2)",
    "log10": "log(x) / log(10)",
    "std": "sqrt(var(x))",
    "sd": "sqrt(var(x))",
    "stdev": "sqrt(var(x))",
    "variance": "var(x)",
    "length": "norm(x)",
    "magnitude": "norm(x)",
    "cov": "mean((x - mean(x)) * (y - mean(y)))",
    "covariance": "mean((x - mean(x)) * (y - mean(y)))",
    "corr": "mean((x - mean(x)) * (y - mean(y))) / sqrt(var(x) * var(y))",
    "correlation": "mean((x - mean(x)) * (y - mean(y))) / sqrt(var(x) * var(y))",
    "cosine": "dot(x, y) / (norm(x) * norm(y))",
    "cosine_similarity": "dot(x, y) / (norm(x) * norm(y))",
    "pow": "x ** y",
    "power": "x ** y",
    "transpose": "x.T",
    "matmul": "x @ y",
    "maximum": "where(x > y, x, y)",
    "minimum": "where(x < y, x, y)",
    "sigmoid": "1 / (1 + exp(-x))",
    "tanh": "(exp(2 * x) - 1) / (exp(2 * x) + 1)",
    "square": "x ** 2",
    "sum_of": "sum(x)",
    "concatenate": "concat(x, y)",
}
# What no function stands for.
_NO_FUNCTIONS = {
    "len": "Write the size’s name.",
    "median": "There’s no median here, so ask for something else.",
    "mode": "There’s no mode here, so ask for something else.",
    "quantile": "There are no quantiles here, so ask for something else.",
    "percentile": "There are no percentiles here, so ask for something else.",
}
# Those of formulas, which are built upon this module.
CALLED = frozenset([
    "abs", "argmax", "concat", "cos", "dot", "exp", "gelu", "layer_norm", "log", "mask", "max",
    "mean", "min", "norm", "onehot", "outer", "relu", "rms_norm", "rope", "sign", "silu", "sin",
    "softmax", "split", "sqrt", "stack", "sum", "take", "tril", "var", "where",
])  # fmt: skip
_OPERAND = r"[A-Za-z0-9_.]+"
# A number and what it multiplies, two brackets, or two operands side by side.
_NO_SIGN = re.compile(
    rf"(?<![A-Za-z0-9_.])([0-9]+\.?[0-9]*)\s*([A-Za-z_][A-Za-z0-9_]*|\()"
    rf"|(\))\s*({_OPERAND}|\()|({_OPERAND})\s+({_OPERAND})"
)
_WORDS = frozenset(["if", "else", "and", "or", "not", "in", "is", "for", "lambda"])


def instead_of(character: str, text: str = "", place: int = 0) -> str:
    r"""Return what to type instead of a character; "" where nothing stands for it.

    Args:
        character: what can’t be used.
        text, place: the formula around it, whose own names the advice then has.

    >>> instead_of("^"), instead_of("σ"), instead_of("ж")
    ('write a power as x ** 2', 'write sigma', '')
    >>> instead_of("^", "K^T", 1), instead_of("·", "q·k", 1)
    ('a matrix is transposed by K.T', 'write dot(q, k) for vectors, q * k for numbers')
    """
    if character in _GREEK:
        return f"write {_GREEK[character]}"
    left = (re.search(rf"{_OPERAND}\s*$", text[:place]) or [""])[0].strip()
    after = text[place + 1 :]
    right = (re.match(rf"\s*({_OPERAND})", after) or ["", ""])[1]
    match character:
        case "^" if re.match(r"\s*\{?\s*(T|t|\\top|\\intercal|⊤)(?![A-Za-z0-9_])", after):
            return f"a matrix is transposed by {left or 'K'}.T"
        case "'" | "ᵀ" | "⊤" if left:
            return f"transpose a matrix with {left}.T"
        case "^" if left == "e":
            return f"write exp({right or 'x'})"
        case "^" if left and right:
            return f"write a power as {left} ** {right}"
        case "·" | "⋅" | "∙" | "•" if left and right:
            return _product(left, right)
        case "\\" if command := re.match("[A-Za-z]+", after):
            return _command(command[0], after[command.end() :])
    return _INSTEAD.get(character, "")


def _product(left: str, right: str) -> str:
    """Return how a product is written without the sign of other notations."""
    if left[0].isdigit() or right[0].isdigit():
        return f"write {left} * {right}"
    if left[0].isupper() or right[0].isupper():
        return f"write {left} @ {right} for a product of matrices, {left} * {right} cell by cell"
    return f"write dot({left}, {right}) for vectors, {left} * {right} for numbers"


def _command(command: str, after: str) -> str:
    """Return what stands for a command of LaTeX."""
    if command.lower() in {"operatorname", "mathrm", "text", "mathbf", "vec", "hat"}:
        named = re.match(r"\{([A-Za-z0-9_ ]+)\}", after)
        return f"write {named[1].strip() if named else 'the name'} alone, not LaTeX"
    if (arguments := re.match(r"\{([^{}]+)\}\{([^{}]+)\}", after)) and "frac" in command:
        return f"write ({arguments[1]}) / ({arguments[2]})"
    if (argument := re.match(r"\{([^{}]+)\}", after)) and command == "sqrt":
        return f"write sqrt({argument[1]})"
    if command.lower() in _GREEK.values() or command in {"pi", "lambda"}:
        return f"write {'lambda_' if command == 'lambda' else command}"
    return f"write {_COMMANDS[command]}" if command in _COMMANDS else _INSTEAD["\\"]


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the question whether one of the nearest names is meant; "" if none is near.

    >>> nearest("scors", ["scores", "x"]), nearest("q", ["Q", "K"]), nearest("far", ["x"])
    ('Did you mean scores? ', 'Did you mean Q? ', '')
    """
    lowered: dict[str, str] = {}
    for each in known:
        lowered.setdefault(each.lower(), each)
    close = get_close_matches(name.lower(), lowered, n=2, cutoff=0.7)
    close = [name.lower()] if name.lower() in close else close
    return f"Did you mean {' or '.join(lowered[each] for each in close)}? " if close else ""


def function_instead(name: str) -> str:
    """Return the formula, of x and y, for a function of other notations; "" if there’s none.

    >>> function_instead("std")
    'sqrt(var(x))'
    """
    return _FUNCTIONS.get(name.lower(), "")


def no_function(name: str) -> str:
    """Return the sentence on a function that nothing in formulas stands for; "" for others.

    >>> no_function("len")
    'Write the size’s name.'
    """
    return _NO_FUNCTIONS.get(name.lower(), "")


def called(name: str, arguments: str) -> str:
    """Return the call of a function, such as a method of NumPy; "" if formulas have none.

    >>> called("mean", "a"), called("std", "a"), called("reshape", "a")
    ('mean(a)', 'sqrt(var(a))', '')
    """
    if name in CALLED:
        return f"{name}({arguments})"
    instead = _FUNCTIONS.get(name.lower(), "")
    if re.fullmatch(r"\w+", arguments):
        return re.sub(r"\bx\b", arguments, instead)
    return instead


def why_unread(text: str) -> tuple[str, int] | None:
    """Return why a formula doesn't read, and at which place; None if that isn't known.

    >>> why_unread("mean(x")
    ('This bracket isn’t closed: add “)”.', 4)
    >>> why_unread("2x + 1")
    ('There’s no sign between 2 and x: write 2 * x.', 1)
    """
    opened: list[tuple[str, int]] = []
    for place, character in enumerate(text):
        if character in "([":
            opened.append((character, place))
        elif character in ")]":
            if not opened:
                return f"This bracket was never opened: remove “{character}”.", place
            wanted = ")" if opened.pop()[0] == "(" else "]"
            if character != wanted:
                return f"Another bracket is open here: write “{wanted}”.", place
    if opened:
        character, place = opened[-1]
        return f"This bracket isn’t closed: add “{')' if character == '(' else ']'}”.", place
    for match in _NO_SIGN.finditer(text):
        left, right = (part for part in match.groups() if part)
        if not {left, right} & _WORDS:
            return _side_by_side(left, right, match)
    if turned := re.search("=([<>])", text):
        return f"To compare, write {turned[1]}= instead of ={turned[1]}.", turned.start()
    if ending := re.search(r"[-+*/@<>=!]\s*$", text):
        return f"Something is missing after “{ending[0].strip()}”: add it.", len(text)
    for equals in re.finditer("(?<![=<>!])=(?!=)", text):
        # Within brackets it names an option.
        if text.count("(", 0, equals.start()) == text.count(")", 0, equals.start()):
            return "To compare, write == instead of =.", equals.start()
    if comma := decimal_comma(text):
        return comma
    return None


def decimal_comma(text: str) -> tuple[str, int] | None:
    """Return what to write instead of a decimal comma, and its place; None if there is none.

    >>> decimal_comma("x * 0,5")
    ('A number has a decimal point: write 0.5.', 4)
    """
    found = re.search("(?<![A-Za-z0-9_.])([0-9]+),([0-9]+)(?![A-Za-z0-9_.])", text)
    if not found:
        return None
    return f"A number has a decimal point: write {found[1]}.{found[2]}.", found.start()


def _side_by_side(left: str, right: str, match: re.Match[str]) -> tuple[str, int]:
    """Return what two things without a sign between them should be, and the place of the fault."""
    first, second = (match.start(place) for place in range(1, 7) if match.start(place) >= 0)
    if sentence := no_function(left):
        return sentence, first
    if right == "dot" and left not in CALLED:
        other = (re.match(rf"\s*({_OPERAND})", match.string[match.end() :]) or ["", "b"])[1]
        return f"A function comes first: write dot({left}, {other}).", second
    if left in CALLED or left.lower() in _FUNCTIONS:
        return _no_brackets(left, match.string[second:]), first
    return _no_sign(left, right), second


def _no_sign(left: str, right: str) -> str:
    if left == ")" or right == "(":
        return "There’s no sign before this: write * to multiply."
    of_numbers = left[0].isdigit() or right[0].isdigit()
    if not of_numbers and (left[0].isupper() or right[0].isupper()):
        return f"There’s no sign between {left} and {right}: {_product(left, right)}."
    return f"There’s no sign between {left} and {right}: write {left} * {right}."


def _no_brackets(name: str, after: str) -> str:
    """Return how a function is called, for one with its arguments after it, as in `dot a b`."""
    arguments = (re.match(rf"{_OPERAND}(?:[\s,]+{_OPERAND})*", after) or ["x"])[0]
    listed = ", ".join(re.findall(_OPERAND, arguments))
    return f"A function’s arguments go in brackets: write {called(name, listed)}."
