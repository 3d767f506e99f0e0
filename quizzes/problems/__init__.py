"""The interface to attention_core: draw variants, show items, read and mark answers.

Nothing here touches the database. Data goes in and out as JSON, as rows keep it (schemas.py has its
types): a *kind* is a family with its options, a *wording* the texts of a question before numbers
are put in, `shown` what an item showed. answers.py defines drafts and raw answers.
"""

# ruff: noqa: F401 - the public names of this package
from attention_core.catalogue import OWN
from attention_core.errors import AuthorError, FormulaError, UnknownFamily
from attention_core.formulas.text import MAX_TEXT
from attention_core.grading import verdicts
from attention_core.grading.reviewing import Slip, decimals_right
from attention_core.problems.family import PARTS, Family
from attention_core.robots import Robot, RobotAnswer
from quizzes.problems.catalogue import (
    CONCEPT_SECONDS,
    MIN_UNCOUNTED_EXAMS,
    PRACTICE_ONLY_BELOW,
    QUESTION_COST,
    TYPICAL_PACE,
    Cost,
    Heads,
    UnknownKind,
    cost_of_kind,
    exam_capacity,
    family_card,
    family_choices,
    family_keys,
    family_of,
    family_of_kind,
    family_part,
    family_summary,
    family_title,
    formulas_of,
    heads_of,
    is_family,
    is_for_practice_only,
    is_stored_for_practice_only,
    kind_of,
    known_family,
    mistake_keys,
    register_loader,
    sizes_of,
    sizes_of_kind,
    smallest_sizes,
    split_kind,
    stored_cost,
    title_of_kind,
    variant_cost,
)
from quizzes.problems.correcting import correct_variant, restate_variant
from quizzes.problems.drawing import (
    Difficulty,
    difficulty_of,
    draw_for_exams,
    draw_samples,
    draw_variant,
    fingerprint_of,
    is_kept_for_exams,
    stored_fingerprint,
)
from quizzes.problems.marking import CORE_VERSION, NOT_RIGHT, Marked, mark_choice, mark_numeric
from quizzes.problems.mistakes import (
    KnownMistake,
    MistakeFeedback,
    SampleProblem,
    draw_sample_problem,
    likely_mistakes,
    mistake_feedback,
    mistakes_in_kind,
    mistakes_of,
    mistakes_of_family,
)
from quizzes.problems.robots import (
    AVERAGE_ROBOT,
    make_typical_robots,
    robot_answers,
    robot_choice,
    robot_draft,
)
from quizzes.problems.sketching import (
    Shape,
    Sketch,
    edit_mistakes,
    formula_reference,
    is_relied_on,
    sketch_variant,
)
from quizzes.problems.solutions import Solution, StepHints, WorkedStep, hints_of, worked_solution
from quizzes.problems.wording import (
    CellNote,
    cell_notes,
    clean_draft,
    decode_order,
    order_of,
    question_wording,
    shown,
    unreadable_field,
    variant_wording,
)
from quizzes.problems.written import (
    LANGUAGE,
    Proved,
    UnfitVariants,
    advise,
    changed_interface,
    facts_at,
    prove_some,
    read_stored,
    sketch,
    try_text,
)
