"""Problems written as formulas, published without their proof's workers."""

from functools import cache

from django.utils import timezone

from attention_core import formulas
from attention_core.facts import work_out_facts
from attention_core.problems.facts import facts_to_json
from quizzes.models import WrittenProblem
from quizzes.written import loading


def publish(key, text, version=1, **more):
    """Create a published version of a problem, as its newest one."""
    WrittenProblem.every.filter(key=key).update(newest=False)
    made = WrittenProblem.every.create(
        key=key,
        version=version,
        text=text,
        facts=facts_of(key, text, version),
        **{"title": "Written", "published_at": timezone.now()} | more,
    )
    loading.forget_newest()
    return made


@cache
def facts_of(key, text, version):
    """Return what the proof of a text works out, at all sizes that it offers."""
    trials = formulas.try_text(text, key, version=version)
    family = formulas.read(text, key, version=version, trials=trials)
    sizes = [
        {"options": options, **facts_to_json(work_out_facts(family, options))}
        for options in family.combinations()
    ]
    return {"trials": trials, "sizes": sizes}


def forget_problems():
    """Read all problems anew, as a process does that has just started."""
    loading._known.heads.clear()
    loading._load.cache_clear()
    loading.forget_newest()
