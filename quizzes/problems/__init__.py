"""The interface to attention_core: draw variants, show items, read and mark answers.

Nothing here touches the database. Data goes in and out as JSON, as rows keep it (schemas.py has its
types): a *kind* is a family with its options, a *wording* the texts of a question before numbers
are put in, `shown` what an item showed. answers.py defines drafts and raw answers.
"""

# ruff: noqa: F401 - the public names of this package
from attention_core.errors import AuthorError
from attention_core.grading import verdicts
from attention_core.grading.reviewing import Slip
from attention_core.robots import Robot, Worked
from attention_core.variety import is_kept_for_exams
from quizzes.problems.catalogue import (
    CONCEPT_SECONDS,
    COST_OF_A_QUESTION,
    PARTS,
    SERVED_AMPLY,
    TYPICAL_PACE,
    Cost,
    UnknownKind,
    cost_of,
    exams_served,
    family_card,
    family_choices,
    family_keys,
    family_of,
    family_part,
    family_summary,
    family_title,
    formulas_of,
    is_family,
    kind_of,
    mistake_keys,
    sizes_of,
    sizes_of_kind,
    smallest_sizes,
)
from quizzes.problems.drawing import (
    Difficulty,
    difficulty_of,
    draw_for_exams,
    draw_to_try,
    draw_variant,
    fingerprint_of,
    kept_fingerprint,
)
from quizzes.problems.marking import (
    CORE_VERSION,
    NOT_RIGHT,
    Marked,
    mark_choice,
    mark_numeric,
)
from quizzes.problems.mistakes import (
    KnownMistake,
    MadeUp,
    MistakeTold,
    feedback_to,
    known_in,
    likely_mistakes,
    made_up,
    mistakes_of,
)
from quizzes.problems.robots import (
    MIDDLING,
    robot_chooses,
    robots_of,
    robots_work,
    typed_by,
)
from quizzes.problems.solutions import (
    Solution,
    StepHints,
    WorkedStep,
    hints_of,
    worked_solution,
)
from quizzes.problems.wording import (
    CellNote,
    cell_notes,
    clean_draft,
    in_order,
    order_of,
    question_wording,
    shown,
    variant_wording,
)
