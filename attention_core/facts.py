"""Facts about a family that take long to work out, so that they can be stored with it."""

from collections.abc import Mapping

from attention_core.problems.facts import Facts
from attention_core.problems.family import Family
from attention_core.proving import prove
from attention_core.structure import step_dependencies
from attention_core.variety import variety


def work_out_facts(family: Family, options: Mapping[str, object]) -> Facts:
    """Return the facts about a family at some sizes.

    Raises:
        BadOptions: there is no such size.
        NoFitVariant: no variant passes the proof at these sizes.

    >>> from attention_core import family
    >>> facts = work_out_facts(family("cosine"), {"width": 2})
    >>> facts.cells, str(facts.variety)
    (1, 'at least 5,000')
    """
    sizes = family.canonical(options)
    problem = prove(family, "cost", sizes).problem
    return Facts(
        problem.cells, problem.minutes, variety(family, sizes), step_dependencies(family, sizes)
    )
