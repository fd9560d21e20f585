"""Anonymisers and attackers by name: ``A4``, ``A4-PL``, with parameters as numbers.

To add one, write a frozen record whose fields are its parameters, as those in
:mod:`mixsafe.contest.attacks` and :mod:`mixsafe.contest.obfuscations`, with ``short``, ``long`` and
a first line ``NAME: what it does.``, and register it::

    from mixsafe.contest.registry import ATTACKERS

    @dataclass(frozen=True)
    class Mine: ...

    with ATTACKERS.registered(Mine):
        ...

``contest attack``, ``contest run --attacks``, tournaments and pages know it in the block. At the
end is the organizers' grid, which ``contest run`` takes by default: the settings that they
published scores for, and the attackers to run on them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import Generic, TypeVar

from mixsafe.contest.attacks import (
    HomeProbIds,
    HomeProbTraces,
    RandomIds,
    RandomTraces,
    VisitProbIds,
    VisitProbTraces,
)
from mixsafe.contest.base.parts import Anonymiser, Attacker, Method
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.link_attack import LinkIds, LinkTraces
from mixsafe.contest.obfuscations import (
    Cheat,
    ClusterVisits,
    MergeAndHide,
    NoObfuscation,
    PlanarLaplace,
    RandomizedResponse,
    ShiftRareRegions,
)
from mixsafe.contest.posterior.guesses import HabitTraces, MatchedIds, PosteriorIds, PosteriorTraces
from mixsafe.contest.pseudonymizers import MIXZONE
from mixsafe.contest.team_attacks import (
    FuzzyVisitVector,
    ProgramFrequentRegions,
    ProgramVisitVector,
    SwapFrequentRegions,
)
from mixsafe.errors import InputError
from mixsafe.model.choices import Registry
from mixsafe.model.mobility.complete_traces import TraceMatrix

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
    ProgramVisitVector,
    LinkIds,
    PosteriorIds,
    MatchedIds,
    RandomTraces,
    VisitProbTraces,
    HomeProbTraces,
    SwapFrequentRegions,
    ProgramFrequentRegions,
    LinkTraces,
    PosteriorTraces,
    HabitTraces,
)

anonymiser, anonymiser_labelled = ANONYMISERS.build, ANONYMISERS.labelled
"""An anonymiser by its name and parameters, and by what tables call it."""

attacker, attacker_labelled = ATTACKERS.build, ATTACKERS.labelled
"""The same of an attacker."""


def organizers_anonymisers() -> list[Anonymiser]:
    """The 37 settings of the organizers' evaluation, in their order."""
    return [
        anonymiser("A1"),
        *(anonymiser("A2", [0, 0, share]) for share in (0.1, 0.2, 0.5, 0.8)),
        *(anonymiser("A2", [1, 1, share]) for share in (0.0, 0.1, 0.2, 0.5, 0.8)),
        *(anonymiser("A3", [epsilon]) for epsilon in (0.1, 1, 2, 4, 6, 8, 10, 12, 14)),
        *(anonymiser("A4", [privacy, 1]) for privacy in (0.1, 1, 2, 3, 4, 5, 6, 7)),
        *(anonymiser("A5", [tenths / 10]) for tenths in range(1, 11)),
    ]


def teams_anonymisers() -> list[Anonymiser]:
    """What two teams made: team 004's shifted regions, and the winner's clusters."""
    return [anonymiser("AS", [12, 4, 3]), anonymiser("KM", [100])]


def organizers_attackers() -> list[Attacker]:
    """I1 to I3 and T1 to T3."""
    return [attacker(name) for name in ("I1", "I2", "I3", "T1", "T2", "T3")]


def team_attackers(reference: TraceMatrix, rules: Rules) -> list[Attacker]:
    """IF and TS as team 004 tuned them."""
    return [attacker("IF"), attacker("TS", [_frequent(reference, rules)])]


def team_programs(reference: TraceMatrix, rules: Rules) -> list[Attacker]:
    """The same as the team's programs have them."""
    return [attacker("IF-P"), attacker("TS-P", [_frequent(reference, rules)])]


def _frequent(reference: TraceMatrix, rules: Rules) -> int:
    """Times from which a region counts as frequent: a quarter of the days; the team's 5 of 20."""
    return max(1, round(reference.n_steps / rules.steps_per_day / 4))


def linking_attackers(pseudonymization: str) -> list[Attacker]:
    """LINK and LINK-T with what an attacker knows of the pseudonymization."""
    exchanged = int(pseudonymization == MIXZONE)
    return [attacker(name, [exchanged]) for name in ("LINK", "LINK-T")]


def posterior_attackers(pseudonymization: str) -> list[Attacker]:
    """What habits and homes say, over all assignments, and without a release at all."""
    exchanged = int(pseudonymization == MIXZONE)
    told = (attacker(name, [exchanged]) for name in ("POST", "MATCH", "POST-T"))
    return [*told, attacker("GUESS")]
