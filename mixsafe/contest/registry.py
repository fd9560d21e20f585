"""Anonymisers and attackers by name: ``A4``, ``A4-PL``, with parameters as numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from typing import TypeVar

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
from mixsafe.errors import InputError

ANONYMISERS: tuple[type[Anonymiser], ...] = (
    NoObfuscation,
    MergeAndHide,
    RandomizedResponse,
    PlanarLaplace,
    Cheat,
    ShiftRareRegions,
    ClusterVisits,
)
ATTACKERS: tuple[type[Attacker], ...] = (
    RandomIds,
    VisitProbIds,
    HomeProbIds,
    FuzzyVisitVector,
    LinkIds,
    RandomTraces,
    VisitProbTraces,
    HomeProbTraces,
    SwapFrequentRegions,
    LinkTraces,
)


Kind = TypeVar("Kind", bound=Method)


def anonymiser(name: str, parameters: Sequence[float] = ()) -> Anonymiser:
    """The anonymiser of that short or long name; missing parameters have their defaults.

    Raises
    ------
    InputError
        An unknown name, too many parameters, or one out of its range.
    """
    return _build(name, parameters, ANONYMISERS, "anonymiser")


def attacker(name: str, parameters: Sequence[float] = ()) -> Attacker:
    """The attacker of that short or long name; missing parameters have their defaults.

    Raises
    ------
    InputError
        An unknown name, too many parameters, or one out of its range.
    """
    return _build(name, parameters, ATTACKERS, "attacker")


def anonymiser_labelled(text: str) -> Anonymiser:
    """The anonymiser that ``parts.label`` would call so: ``A4-4-1``.

    Raises
    ------
    InputError
        As :func:`anonymiser`.
    """
    return anonymiser(*_unlabel(text, ANONYMISERS))


def attacker_labelled(text: str) -> Attacker:
    """The attacker that ``parts.label`` would call so: ``LINK-T-0``.

    Raises
    ------
    InputError
        As :func:`attacker`.
    """
    return attacker(*_unlabel(text, ATTACKERS))


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


def _unlabel(text: str, kinds: Sequence[type[Method]]) -> tuple[str, list[float]]:
    """Name and parameters. A name may have a hyphen of its own: the longest that fits counts."""
    names = {name for kind in kinds for name in (kind.short, kind.long)}
    whole = text.strip()
    fitting = [name for name in names if f"{whole}-".casefold().startswith(f"{name}-".casefold())]
    name = max(fitting, key=len, default=whole)
    return name, parse_parameters(whole[len(name) + 1 :].replace("-", ","))


def _build(name: str, parameters: Sequence[float], kinds: Sequence[type[Kind]], what: str) -> Kind:
    """The method of that name."""
    wanted = name.casefold()
    found = [kind for kind in kinds if wanted in (kind.short.casefold(), kind.long.casefold())]
    if not found:
        known = ", ".join(kind.short for kind in kinds)
        raise InputError(f"unknown {what} '{name}'", hint=f"use one of {known}")
    kind = found[0]
    slots = fields(kind)  # type: ignore[arg-type]
    if len(parameters) > len(slots):
        names = ", ".join(slot.name for slot in slots) or "none"
        raise InputError(f"{len(parameters)} parameters for {kind.long}, which has {names}")
    values = [
        _whole(number, kind.short) if slot.type == "int" else number
        for slot, number in zip(slots, parameters, strict=False)
    ]
    return kind(*values)


def _whole(number: float, short: str) -> int:
    """A parameter that counts something."""
    if not (math.isfinite(number) and number == int(number)):
        raise InputError(f"{short} needs a whole number, not {number:g}")
    return int(number)
