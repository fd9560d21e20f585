"""Registry of engines by name, with descriptions and the commands that offer them.

To add one, write a function that settles questions by proofs only, as ``decide`` of
:mod:`mixsafe.solver.dp.dynamic_programming` does, and register it::

    from mixsafe.solver.registry import ENGINES, Engine

    def load():
        from my_package.my_engine import decide
        return decide

    with ENGINES.registered(Engine("mine", "…", "…", load)):
        ...

In the block ``verify`` and ``compare`` offer it; ``scope`` adds ``audit`` and ``optimize``.
Options, help texts, and the colours and page of a comparison read this list, and an engine with
``exact`` is tested against brute force. An auditor's questions are asked like others; an engine
with a better method has an entry of ``_METHODS`` in :mod:`mixsafe.verify.auditor.auditing`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from mixsafe.errors import InputError
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.choices import Choices

if TYPE_CHECKING:
    from mixsafe.model.course import Course
    from mixsafe.solver.large.sparse_answers import SparseAnswers
    from mixsafe.solver.state.answers import Answers
    from mixsafe.solver.zone_verdict import ZoneSets

    Decide = Callable[[Answers, Course], None]
    """Settles as many questions as it can, by proofs only, and reports progress."""

    DecideLarge = Callable[[SparseAnswers, Course], None]
    """The same without sets of tokens."""

Scope = Literal["verify", "audit", "compare", "optimize"]


@dataclass(frozen=True)
class Engine:
    """A decision engine.

    Parameters
    ----------
    name
        Name on the command line.
    about
        Description in a few words.
    sentence
        Description of the method, for pages and terminals: "It …".
    load
        Loads the deciding function. It takes answers and the course of the run, and
        ``encoding`` if there are encodings.
    scope
        Commands that offer it. ``optimize``: it decides sets of zones for the CSP paper's search.
    encodings
        Names of encodings, the default first; empty: there is no choice.
    exact
        Whether it decides everything, given enough time and few users.
    argument
        Argument of the auditor's questions that this engine settles.
    load_large
        Loads the deciding function for problems too large for token sets on every wire, which takes
        :class:`mixsafe.solver.large.sparse_answers.SparseAnswers`; None: they are refused.
    load_zone_sets
        Loads what makes a model for all sets of zones, from the question on all zones, the group
        of each zone, the cost of each group, (row, step, k), and the course of the run; None: each
        set of zones is decided as a problem of its own.
    """

    name: str
    about: str
    sentence: str
    load: Callable[[], Callable[..., None]]
    scope: frozenset[Scope] = frozenset({"verify", "compare"})
    encodings: tuple[str, ...] = ()
    exact: bool = True
    argument: Argument = Argument.MATCHING
    load_large: Callable[[], DecideLarge] | None = None
    load_zone_sets: Callable[[], Callable[..., ZoneSets]] | None = None

    def encoding(self, said: str | None = None) -> str | None:
        """The chosen or default encoding; None if there is no choice.

        Raises
        ------
        InputError
            An unknown encoding, or one for an engine that has none.
        """
        if said is None:
            return self.encodings[0] if self.encodings else None
        if not self.encodings:
            raise InputError(f"engine {self.name} has no encodings")
        if said not in self.encodings:
            hint = f"use {' or '.join(self.encodings)}"
            raise InputError(f"unknown encoding '{said}'", hint=hint)
        return said

    def decider(self, encoding: str | None = None) -> Decide:
        """The function that decides, loaded.

        Raises
        ------
        InputError
            As :meth:`encoding`.
        """
        chosen = self.encoding(encoding)
        decide = self.load()
        return decide if chosen is None else partial(decide, encoding=chosen)


def _auto() -> Callable[..., None]:
    from mixsafe.solver import auto

    return auto.decide


def _auto_large() -> DecideLarge:
    from mixsafe.solver.large import deciding

    return deciding.decide


def _cpsat() -> Callable[..., None]:
    from mixsafe.solver.sat import cpsat

    return cpsat.decide


def _cpsat_zone_sets() -> Callable[..., ZoneSets]:
    from mixsafe.solver.sat.zone_sets import CpSatZoneSets

    return CpSatZoneSets


def _dp() -> Callable[..., None]:
    from mixsafe.solver.dp import dynamic_programming

    return dynamic_programming.decide


def _bounds() -> Callable[..., None]:
    from mixsafe.solver import bounds

    return bounds.decide


def _bounds_large() -> DecideLarge:
    from mixsafe.solver.large import deciding

    return deciding.decide_by_bounds


_EVERYWHERE: frozenset[Scope] = frozenset({"verify", "audit", "compare", "optimize"})

ENGINES: Choices[Engine] = Choices(
    "engine",
    Engine(
        "auto",
        "the cheapest proof first",
        "It takes the cheapest argument first that is a proof: bounds of all, then walks through"
        " solutions, annealing, then a constraint solver.",
        _auto,
        _EVERYWHERE,
        argument=Argument.CPSAT,
        load_large=_auto_large,
    ),
    Engine(
        "cpsat",
        "the CSP paper's method on CP-SAT",
        "It writes everything down for a constraint solver once, and asks it for one candidate"
        " after the other.",
        _cpsat,
        _EVERYWHERE,
        encodings=("flow", "permutation"),
        argument=Argument.CPSAT,
        load_zone_sets=_cpsat_zone_sets,
    ),
    Engine(
        "dp",
        "a dynamic program",
        "It goes back in time with all the ways in which the tracked pseudonyms can lie on people.",
        _dp,
        _EVERYWHERE,
        argument=Argument.DYNAMIC_PROGRAMMING,
    ),
    Engine(
        "bounds",
        "bounds alone, fast, some stay undecided",
        "It sweeps over all people at once, which is fast, and leaves open what that cannot prove.",
        _bounds,
        _EVERYWHERE - {"optimize"},
        exact=False,
        load_large=_bounds_large,
    ),
)
"""All registered engines."""


def engine_of(engine: str | Engine, scope: Scope | None = None) -> Engine:
    """The engine of that name, or the engine itself, which need not be registered.

    Raises
    ------
    InputError
        There is no such engine, or it is not for ``scope``.
    """
    if isinstance(engine, Engine):
        return engine
    if scope is not None and engine not in ENGINES.names(scope):
        raise InputError(f"unknown engine '{engine}' to {scope}", hint=ENGINES.hint(scope))
    return ENGINES[engine]
