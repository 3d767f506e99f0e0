"""The mistakes that a text knows: those that rules find in its steps, and its author's own."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from attention_core.errors import FormulaError
from attention_core.formulas.compute import compute
from attention_core.formulas.lengths import Shape
from attention_core.formulas.names import Names
from attention_core.formulas.rewriting import find
from attention_core.formulas.rules import RULES
from attention_core.formulas.shapes import Scope, infer
from attention_core.formulas.text import Entry
from attention_core.formulas.trees import Call
from attention_core.formulas.trial import try_mistakes
from attention_core.formulas.wrong import Wrong, batched, off_at
from attention_core.problems.family import Family, Mistake
from attention_core.problems.mistakes import TRIVIAL_MISTAKES

type Scopes = list[Scope]
# The sizes at which mistakes are off, by step and mistake.
type Off = dict[str, dict[str, list[dict[str, int]]]]


@dataclass
class KnownMistakes:
    """The mistakes of each step: found, written, picked and reworded."""

    names: Names
    found: dict[str, dict[str, Wrong]] = field(default_factory=dict)  # of each step
    own: dict[str, dict[str, Wrong]] = field(default_factory=dict)  # of each step

    def kept_keys(self, entry: Entry) -> list[str]:
        """Return the keys of a step's mistakes, in the order in which they are tried."""
        own = [*self.own_wrongs(entry)]
        # Their author's come first: where a found one gives the same, theirs is named.
        known = [*dict.fromkeys([*own, *self.found_wrongs(entry)])]
        relied_on = [key for key in TRIVIAL_MISTAKES if key in known]
        picked, without = entry.keys("mistakes"), entry.keys("without") or ()
        for attribute, keys in (("mistakes", picked or ()), ("without", without)):
            for key in keys:
                if key not in known:
                    raise entry.attributes[attribute].fault(
                        f"This step has no mistake {key}. Its mistakes: "
                        f"{', '.join(known) or 'none'}."
                    )
        for key in without:
            if key in relied_on:
                raise entry.attributes["without"].fault(
                    f"{key} can’t be left out, because marking depends on it."
                )
        if picked is not None:
            known = [*dict.fromkeys([*picked, *own, *relied_on])]
        kept = [key for key in known if key not in without]
        for key, reworded in entry.rewordings.items():
            if key not in kept:
                raise reworded.fault(f"This step has no mistake {key} to reword.")
        return kept

    def mistakes(self, entry: Entry, kept: list[str]) -> tuple[Mistake, ...]:
        scopes, shapes = self.scopes_of(entry)
        feedback = {key: reworded.value for key, reworded in entry.rewordings.items()}
        wrongs = self.own_wrongs(entry)
        if not wrongs.keys() >= set(kept):
            wrongs = self.found_wrongs(entry) | wrongs
        return tuple(
            self.mistake(key, wrongs[key], feedback.get(key), scopes, shapes) for key in kept
        )

    def scopes_of(self, entry: Entry) -> tuple[Scopes, list[Shape]]:
        """Return the names before a step, and its shape, at each combination of the sizes."""
        scopes = [
            self.names.scope_at(sizes, before=entry.name) for sizes in self.names.combinations
        ]
        return scopes, [
            self.names.shapes_at(sizes)[entry.name] for sizes in self.names.combinations
        ]

    def found_wrongs(self, entry: Entry) -> dict[str, Wrong]:
        """Return the mistakes that rules find in a step, where their shapes fit at any sizes."""
        if entry.name not in self.found:
            scopes, shapes = self.scopes_of(entry)
            earlier = {
                each.name: each.tree
                for each in self.names.text.steps
                if each.name in scopes[0].shapes
            }
            found = find(
                entry.tree,
                scopes[0],
                self.blended_names(entry),
                RULES,
                earlier,
                of_words=bool(self.names.words or self.names.text.head("part")),
            )
            wrongs = {
                each.key: Wrong(each.tree, entry.tree, each.feedback, each.condition)
                for each in found
            }
            self.found[entry.name] = {
                key: wrong for key, wrong in wrongs.items() if any(map(wrong.fits, scopes, shapes))
            }
        return self.found[entry.name]

    def own_wrongs(self, entry: Entry) -> dict[str, Wrong]:
        """Return the mistakes that the author wrote for a step."""
        if entry.name not in self.own:
            self.own[entry.name] = self.new_own_wrongs(entry)
        return self.own[entry.name]

    def new_own_wrongs(self, entry: Entry) -> dict[str, Wrong]:
        wrongs = {}
        scopes, shapes = self.scopes_of(entry)
        for own in self.names.text.mistakes:
            if own.step == entry.name:
                if own.tree == entry.tree:
                    raise FormulaError(
                        "This is the step’s own formula, not a mistake: change or remove it.",
                        own.line,
                        1,
                    )
                infer(own.tree, scopes[0])
                wrong = Wrong(own.tree, entry.tree, own.feedback)
                if not any(map(wrong.fits, scopes, shapes)):
                    raise FormulaError("This must have the same shape as the step.", own.line, 1)
                wrongs[own.key] = wrong
            elif own.step not in {each.name for each in self.names.text.steps}:
                raise FormulaError(
                    f"There’s no step {own.step}: name a step of this problem.", own.line, 1
                )
        return wrongs

    def blended_names(self, entry: Entry) -> frozenset[str]:
        """Return the givens and earlier steps that hold weights which sum to 1."""
        names = set()
        for given in self.names.text.givens:
            if isinstance(given.tree, Call) and given.tree.function == "shares":
                names |= set(given.names)
        for step in self.names.text.steps:
            if step is entry:
                break
            if isinstance(step.tree, Call) and step.tree.function == "softmax":
                names.add(step.name)
        return frozenset(names)

    def mistake(
        self, key: str, wrong: Wrong, reworded: str | None, scopes: Scopes, shapes: list[Shape]
    ) -> Mistake:
        fitting = next(
            scope for scope, shape in zip(scopes, shapes, strict=True) if wrong.fits(scope, shape)
        )
        computed = batched(compute(wrong.tree, fitting), len(shapes[0]), self.names.scope)
        when = wrong.when(fitting, everywhere=len(scopes) == 1)
        return Mistake(key, computed, reworded or wrong.feedback, when=when)

    @property
    def chosen(self) -> set[str]:
        """The steps that list their mistakes, which their authors have chosen."""
        return {entry.name for entry in self.names.text.steps if "mistakes" in entry.attributes}

    def trials(self, family: Family) -> dict[str, Any]:
        """Return at which sizes mistakes can't be told apart, and which of their author's are off.

        Where a step lists its mistakes, all of them stay.
        """
        off: Off = {}
        if self.chosen != {step.key for step in family.steps}:
            for options in family.combinations():
                for step, keys in try_mistakes(family, options).off.items():
                    for key in sorted(keys) if step not in self.chosen else ():
                        off.setdefault(step, {}).setdefault(key, []).append(options)
        return {"off": off, "own": self.own_off(family, off)}

    def own_off(self, family: Family, off: Off) -> Off:
        """Return the sizes at which the author's own mistakes are off, or have another shape."""
        own: Off = {}
        for entry in self.names.text.steps:
            scopes, shapes = self.scopes_of(entry)
            kept = {known.key for known in family.step(entry.name).mistakes}
            for key, wrong in self.own_wrongs(entry).items():
                indistinct = off.get(entry.name, {}).get(key, [])
                at = [
                    options
                    for options, scope, shape in zip(
                        family.combinations(), scopes, shapes, strict=True
                    )
                    if key in kept and (options in indistinct or not wrong.fits(scope, shape))
                ]
                if at:
                    own.setdefault(entry.name, {})[key] = at
        return own

    def without_indistinct(self, family: Family, trials: Mapping[str, Any]) -> Family:
        """Return the family, its mistakes off at the sizes where trials can't tell them apart."""
        shapes = [
            tuple(self.names.given_shapes(sizes).values()) for sizes in self.names.combinations
        ]
        at = dict(zip(map(_as_key, family.combinations()), shapes, strict=True))
        off: Off = trials["off"]
        steps = []
        for step in family.steps:
            known = off.get(step.key, {})
            steps.append(
                replace(
                    step,
                    mistakes=tuple(
                        off_at(
                            each,
                            {at[_as_key(options)] for options in known.get(each.key, [])},
                            self.names.given_scope,
                        )
                        for each in step.mistakes
                    ),
                )
            )
        return replace(family, steps=tuple(steps))


def _as_key(options: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(options.items()))
