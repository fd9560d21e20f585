"""What shuffled and exchanged pseudonyms leave to the strongest attacks, release by release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mixsafe.contest.posterior.guesses import HabitTraces
from mixsafe.contest.pseudonymizers import MIXZONE, SHUFFLE
from mixsafe.errors import InputError

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Left:
    """A score and the attack that leaves it.

    Parameters
    ----------
    value
        s_R,min or s_T,min.
    attack
        The strongest attack's short name.
    """

    value: float
    attack: str


@dataclass(frozen=True)
class Protection:
    """One obfuscation under both pseudonymizations.

    Parameters
    ----------
    anonymiser
        Its name with parameters.
    valid
        Whether its utility is high enough.
    shuffled, exchanged
        What is left of ``reid`` and ``trace``.
    """

    anonymiser: str
    valid: bool
    shuffled: Mapping[str, Left]
    exchanged: Mapping[str, Left]


def protections(
    scores: Sequence[Row], only: Sequence[str] | None = None
) -> tuple[list[Protection], float]:
    """Releases of a run, and s_T of an attacker who needs no release (GUESS).

    Parameters
    ----------
    scores
        Rows of ``scores.csv``, numbers as floats.
    only
        Obfuscations that are looked at, in this order; default: the valid ones.

    Raises
    ------
    InputError
        GUESS was not run, or an obfuscation not under both pseudonymizations, or not attacked
        in both ways.
    """
    guessed = [row["value"] for row in scores if row["attack"] == HabitTraces.short]
    if not guessed:
        raise InputError(
            "GUESS is not among the attacks", hint="run 'mixsafe contest run --attacks all'"
        )
    valid = {row["anonymiser"]: row["valid"] == "yes" for row in scores}
    wanted = [name for name in valid if valid[name]] if only is None else only
    return [_of(name, valid.get(name, False), scores) for name in wanted], min(guessed)


def _of(name: str, valid: bool, scores: Sequence[Row]) -> Protection:
    """One obfuscation of a run."""
    return Protection(name, valid, *(_left(name, method, scores) for method in (SHUFFLE, MIXZONE)))


def _left(name: str, method: str, scores: Sequence[Row]) -> dict[str, Left]:
    """What the strongest attacks of each kind leave of one release."""
    left = {}
    for kind in ("reid", "trace"):
        some = [
            Left(row["value"], row["attack"])
            for row in scores
            if (row["anonymiser"], row["pseudonymization"], row["score"]) == (name, method, kind)
        ]
        if not some:
            raise InputError(
                f"the run has no {kind} score of {name} with {method}",
                hint="run both pseudonymizations against attacks of both kinds",
            )
        left[kind] = min(some, key=lambda one: one.value)
    return left
