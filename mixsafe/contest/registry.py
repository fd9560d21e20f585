"""Anonymisers and attackers by name: ``A4``, ``A4-PL``, with parameters as numbers.

To add one, write a frozen record whose fields are its parameters, as those in
:mod:`mixsafe.contest.attack` and :mod:`mixsafe.contest.obfuscate`, with ``short``, ``long`` and a
first line ``NAME: what it does.``, and register it::

    from mixsafe.contest.registry import ATTACKERS

    @dataclass(frozen=True)
    class Mine: ...

    with ATTACKERS.registered(Mine):
        ...

``contest attack``, ``contest run --attacks``, tournaments and pages know it in the block. The
organizers' grid, which ``contest run`` takes by default, is in :mod:`mixsafe.contest.grid`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Generic, TypeVar

from mixsafe.contest.attack.fuzzy import FuzzyVisitVector, SwapFrequentRegions
from mixsafe.contest.attack.infer import HomeProbTraces, RandomTraces, VisitProbTraces
from mixsafe.contest.attack.link import LinkIds, LinkTraces
from mixsafe.contest.attack.reidentify import HomeProbIds, RandomIds, VisitProbIds
from mixsafe.contest.base.parts import Anonymiser, Attacker, Method
from mixsafe.contest.obfuscate.cluster import ClusterVisits
from mixsafe.contest.obfuscate.organizers import (
    Cheat,
    MergeAndHide,
    NoObfuscation,
    PlanarLaplace,
    RandomizedResponse,
)
from mixsafe.contest.obfuscate.shift import ShiftRareRegions
from mixsafe.contest.posterior.guesses import (
    HabitTraces,
    MatchedIds,
    PosteriorIds,
    PosteriorTraces,
)
from mixsafe.errors import InputError
from mixsafe.model.choices import Registry

Kind = TypeVar("Kind", bound=Method)


class Methods(Registry[type[Kind]], Generic[Kind]):
    """Methods of one kind, by their short and long names in any case."""

    def names_of(self, thing: type[Kind]) -> tuple[str, ...]:
        """Short and long name."""
        return thing.short, thing.long

    def _found(self, name: str) -> type[Kind] | None:
        """The method of that short or long name, in any case."""
        wanted = name.casefold()
        named = ((kind, map(str.casefold, self.names_of(kind))) for kind in self)
        return next((kind for kind, names in named if wanted in names), None)

    def find(self, name: str) -> type[Kind]:
        """The method of that short or long name, in any case.

        Raises
        ------
        InputError
            There is none.
        """
        found = self._found(name)
        if found is None:
            known = ", ".join(kind.short for kind in self)
            raise InputError(f"unknown {self.what} '{name}'", hint=f"use one of {known}")
        return found

    def build(self, name: str, parameters: Sequence[float] = ()) -> Kind:
        """The method of that short or long name; missing parameters have their defaults.

        Raises
        ------
        InputError
            An unknown name, too many parameters, or one out of its range.
        """
        kind = self.find(name)
        slots = fields(kind)  # type: ignore[arg-type]
        if len(parameters) > len(slots):
            names = ", ".join(slot.name for slot in slots) or "none"
            raise InputError(f"{len(parameters)} parameters for {kind.long}, which has {names}")
        values = [
            _whole(number, kind.short) if slot.type == "int" else number
            for slot, number in zip(slots, parameters, strict=False)
        ]
        return kind(*values)

    def labelled(self, text: str) -> Kind:
        """The method that ``parts.label`` would call so: ``A4-4-1``, or ``LINK-T-0``.

        A name may have a hyphen of its own: the longest that fits counts.

        Raises
        ------
        InputError
            As :meth:`build`.
        """
        names = {name for kind in self for name in self.names_of(kind)}
        whole = text.strip()
        fitting = [one for one in names if f"{whole}-".casefold().startswith(f"{one}-".casefold())]
        name = max(fitting, key=len, default=whole)
        return self.build(name, parse_parameters(whole[len(name) + 1 :].replace("-", ",")))


def about(kind: type[Method]) -> str:
    """What a method does: its first line, after its name."""
    return (kind.__doc__ or "").split("\n")[0].partition(": ")[2]


def parse_parameters(text: str) -> list[float]:
    """Numbers from ``4,1``.

    Raises
    ------
    InputError
        Something between the commas is not a number.
    """
    try:
        return [float(number) for number in text.split(",")] if text.strip() else []
    except ValueError:
        raise InputError(
            f"'{text}' are not parameters", hint="write numbers with commas, such as 4,1"
        ) from None


def _whole(number: float, short: str) -> int:
    """A parameter that counts something."""
    if not (math.isfinite(number) and number == int(number)):
        raise InputError(f"{short} needs a whole number, not {number:g}")
    return int(number)


ANONYMISERS: Methods[Anonymiser] = Methods(
    "anonymiser",
    NoObfuscation,
    MergeAndHide,
    RandomizedResponse,
    PlanarLaplace,
    Cheat,
    ShiftRareRegions,
    ClusterVisits,
)
ATTACKERS: Methods[Attacker] = Methods(
    "attacker",
    RandomIds,
    VisitProbIds,
    HomeProbIds,
    FuzzyVisitVector,
    LinkIds,
    PosteriorIds,
    MatchedIds,
    RandomTraces,
    VisitProbTraces,
    HomeProbTraces,
    SwapFrequentRegions,
    LinkTraces,
    PosteriorTraces,
    HabitTraces,
)

anonymiser, anonymiser_labelled = ANONYMISERS.build, ANONYMISERS.labelled
"""An anonymiser by its name and parameters, and by what tables call it."""

attacker, attacker_labelled = ATTACKERS.build, ATTACKERS.labelled
"""The same of an attacker."""
