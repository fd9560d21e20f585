"""The same question under other rules of exchange: how much each of them protects."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from mixsafe.errors import InputError
from mixsafe.extract.adversaries import knowledge
from mixsafe.extract.exchange.relation import Related
from mixsafe.extract.exchange.rules import ExchangeRules, with_rules
from mixsafe.extract.positions import persons, positions
from mixsafe.extract.zones import mix_zones
from mixsafe.geometry.grid import CellSize
from mixsafe.model.limits import SolveLimits
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Rule
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.verification import Verification, answer

NEVER = "never"
"""Rotation that does not take place."""


@dataclass(frozen=True)
class Variants:
    """Rules to compare; every combination is decided.

    Parameters
    ----------
    adversaries
        Names of built-in adversaries.
    rotations
        Schedules of rotation, or ``never``.
    limits
        Greatest speeds, km/h, or regions per step where times are numbers; None: any.
    meetings
        Whether pseudonyms are exchanged at mix zones, too.
    error
        Of the place of a fix, metres.
    """

    adversaries: Sequence[str] = ("endpoints",)
    rotations: Sequence[str] = (NEVER,)
    limits: Sequence[float | None] = (None,)
    meetings: Sequence[bool] = (True,)
    error: float = 0.0

    def __iter__(self) -> Iterator[tuple[str, bool, str, float | None]]:
        """Combinations in which pseudonyms change at all, one adversary after the other."""
        some = (self.adversaries, self.meetings, self.rotations, self.limits)
        for adversary, meet, rotation, limit in itertools.product(*some):
            if meet or rotation != NEVER:
                yield adversary, meet, rotation, limit


def vary(
    traces: Traces,
    variants: Variants,
    k: int,
    *,
    cell_size: CellSize = 100.0,
    time_step: int = 60,
    min_users: int = 2,
    steps_per_day: int = 20,
    keep_together: bool = False,
    rule: Rule | None = None,
    limits: SolveLimits | None = None,
    progress: Progress = no_progress,
) -> pd.DataFrame:
    """Decide a question under several rules of exchange.

    Parameters
    ----------
    traces
        What is to be published.
    variants
        The rules.
    k, rule
        Candidates that a user needs, and when a user passes (``some``).
    cell_size, time_step, min_users, steps_per_day, keep_together
        As for :func:`mixsafe.extract.pose.pose`.
    limits
        Of each verification.

    Returns
    -------
    A row per variant: adversary, meetings, rotation, limit (speed or regions per step), zones,
    restricted (zones that do not allow all exchanges), apart (those that fall apart), alone
    (memberships that can exchange with nobody), jumps (memberships on an impossible way),
    safe_share, known_share and undecided_share (of everybody's time), passing, failing, undecided
    (users), losing (users with certainly less safe time than under the first rules with this
    adversary and these meetings), seconds.

    Raises
    ------
    InputError
        A rule that does not fit the traces, or nothing to compare.
    """
    traces = persons(traces, cell_size=cell_size, time_step=time_step, keep_together=keep_together)
    where = positions(traces, cell_size=cell_size, time_step=time_step)
    zones = mix_zones(where, min_users=min_users)
    rows: list[dict[str, object]] = []
    before: dict[tuple[str, bool], npt.NDArray[np.float64]] = {}
    listed = list(variants)
    if not listed:
        raise InputError("pseudonyms change in none of the variants")
    for number, (adversary, meet, rotation, limit) in enumerate(listed):
        progress("deciding variants", number, len(listed))
        rules = _rules(variants, meet, rotation, limit, traces)
        found = with_rules(zones, rules, traces, steps_per_day)
        seen = knowledge(adversary, zones, where, steps_per_day=steps_per_day)
        began = time.monotonic()
        query = Query(k, None, rule or Rule.default(every_time=True))
        decided = answer(Problem("variant", found.zones, seen), query, Settings(limits=limits))
        first = before.setdefault((adversary, meet), decided.user_rows.safe_share)
        rows.append(
            {
                "adversary": adversary,
                "meetings": meet,
                "rotation": rotation,
                "limit": np.nan if limit is None else limit,
                **_counts(found),
                **_shares(decided, first),
                "seconds": round(time.monotonic() - began, 2),
            }
        )
    return pd.DataFrame(rows)


def _rules(
    variants: Variants, meet: bool, rotation: str, limit: float | None, traces: Traces
) -> ExchangeRules:
    """One combination of rules."""
    rotate = None if rotation == NEVER else rotation
    if limit is None:
        return ExchangeRules(rotate=rotate, meetings=meet)
    if traces.clock == "time_id":
        return ExchangeRules(max_step=limit, rotate=rotate, meetings=meet)
    return ExchangeRules(max_speed=limit, error=variants.error, rotate=rotate, meetings=meet)


def _counts(found: Related) -> dict[str, int]:
    """What the rules do to the zones."""
    zones: MixZones = found.zones
    return {
        "zones": len(zones),
        "restricted": found.n_restricted,
        "apart": found.n_apart,
        "memberships": len(zones.members),
        "alone": found.n_alone,
        "jumps": found.n_jumps,
    }


def _shares(decided: Verification, first: npt.NDArray[np.float64]) -> dict[str, float | int]:
    """How well users are protected."""
    people, counts = decided.user_rows, decided.summary["users"]
    whole = max(int(people.weight.sum()), 1)

    def share(part: npt.NDArray[np.float64]) -> float:
        return round(float((part * people.weight).sum()) / whole, 6)

    return {
        "safe_share": share(people.safe_share),
        "known_share": share(people.known_share),
        "undecided_share": share(people.undecided_share),
        "passing": counts["safe"],
        "failing": counts["unsafe"],
        "undecided": counts["undecided"],
        "losing": int(np.count_nonzero(people.safe_share + people.undecided_share < first - 1e-9)),
    }
