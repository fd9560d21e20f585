"""From released cells of users to a release: whose they are is in a secret table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from mixsafe.errors import InputError
from mixsafe.extract.adversaries import knowledge
from mixsafe.extract.exchange.rules import ExchangeRules
from mixsafe.model.course import Course
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.requirement import Rule
from mixsafe.model.release import Cells, IdTable
from mixsafe.release.enforce import Demand, Privacy, enforce, privacy_of
from mixsafe.release.exchange import (
    ZonesOf,
    exchange_zones,
    exchanged_table,
    shown_positions,
    shuffled_table,
    visible_zones,
)


@dataclass(frozen=True, eq=False)
class Release:
    """A published release, and its secret key.

    Parameters
    ----------
    public
        Cells by pseudonym.
    table
        Secret: the user behind each pseudonym (at each time).
    n_zones
        Mix zones at which pseudonyms may have been exchanged.
    n_suppressed
        Cells that were shown before and are not now.
    privacy
        What was proven; None where nothing was asked.
    notes
        What the rules of exchange did.
    """

    public: Cells
    table: IdTable
    n_zones: int = 0
    n_suppressed: int = 0
    privacy: Privacy | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        users, times = self.public.n_rows, self.public.n_steps
        return f"<Release: {users:,} users, {times:,} times, {self.n_zones:,} mix zones>"

    def to_dict(self, method: str, settings: Mapping[str, Any]) -> dict[str, Any]:
        """How it was made and what was verified, for JSON.

        Parameters
        ----------
        method
            ``mixzone``, ``rotate`` or ``shuffle``.
        settings
            What was asked of exchanges, by option; a shuffle has none.
        """
        public, privacy = self.public, self.privacy
        made = {"method": method, "users": public.n_rows, "times": public.n_steps}
        if privacy is None:
            return made
        asked, exposed, times = privacy.asked, privacy.exposed, public.time_ids
        return {
            "verdict": None if asked is None else asked.verdict.value,
            **made,
            "zones": self.n_zones,
            **settings,
            "suppressed": self.n_suppressed,
            "cells": {
                "shown": int(privacy.shown.sum()),
                "private": int((privacy.shown & privacy.safe).sum()),
                "undecided": int((privacy.shown & privacy.undecided).sum()),
            },
            "users_failing": (np.flatnonzero(privacy.failing) + 1).tolist(),
            "not_private": [
                {"user": row + 1, "times": times[exposed[row]].tolist()}
                for row in np.flatnonzero(exposed.any(axis=1)).tolist()
            ],
        }


def release_shuffled(cells: Cells, random: np.random.Generator | None = None) -> Release:
    """A pseudonym for each user, once and for all, as in the contest.

    Parameters
    ----------
    cells
        The released cells of users.
    random
        None: the system's cryptographic source; use it for public releases. The seed of a seeded
        generator reveals the pseudonyms.
    """
    cells = cells.canonical()
    table = shuffled_table(cells, random)
    return Release(table.publish(cells), table)


def release_exchanged(
    cells: Cells,
    demand: Demand,
    random: np.random.Generator | None = None,
    *,
    zones: MixZones | None = None,
    zones_of: ZonesOf = visible_zones,
    enforced: bool = False,
    course: Course | None = None,
) -> Release:
    """Pseudonyms exchanged at mix zones, verified by the exact engine.

    Parameters
    ----------
    cells
        The released cells of users.
    demand
        What is asked of the release.
    random
        Source of randomness; None: the system's cryptographic source, as a publication needs. The
        seed of a seeded generator reveals the pseudonyms.
    zones
        Where pseudonyms are exchanged; None: in all those of ``zones_of``.
    zones_of
        Where pseudonyms can be exchanged, of the cells that are released: wherever users are
        visibly together, or by the rules of :func:`mixsafe.release.exchange.exchange_zones`.
    enforced
        Suppress cells until every user passes.
    course
        Of the verification; None: no limit.

    Raises
    ------
    InputError
        k is below 2 (or, to be enforced, above the number of users), zones that do not fit the
        cells, or zones beside ``enforced``, which changes them.
    """
    if enforced and zones is not None:
        raise InputError("suppression changes the mix zones: they cannot be chosen beforehand")
    cells, course = cells.canonical(), course or Course.begin()
    hidden = np.count_nonzero(cells.code == cells.deleted)
    if enforced:
        cells, privacy = enforce(cells, demand, course, zones_of)
        zones = zones_of(cells)
    else:
        zones = zones_of(cells) if zones is None else zones
        privacy = privacy_of(cells, zones, demand, course)
    table = exchanged_table(cells, random, zones)
    n_suppressed = int(np.count_nonzero(cells.code == cells.deleted) - hidden)
    return Release(table.publish(cells), table, len(zones), n_suppressed, privacy, zones.notes)


def pseudonymize(
    traces: Traces | TraceMatrix,
    *,
    method: Literal["mixzone", "rotate", "shuffle"] = "mixzone",
    k: int = 3,
    adversary: str | Knowledge = "endpoints",
    rule: Rule | None = None,
    rules: ExchangeRules | None = None,
    enforced: bool = False,
    random: np.random.Generator | None = None,
) -> Release:
    """Make a release of traces as they are: pseudonyms that are exchanged, or shuffled once.

    Parameters
    ----------
    traces
        Regions of users 1 to n, without gaps. To release something else than the true regions,
        see :func:`release_exchanged` and :func:`release_shuffled`.
    method
        ``mixzone``: exchange wherever users are together, and at scheduled times if ``rules`` have
        some, and verify; ``rotate``: at scheduled times only; ``shuffle``: a pseudonym for each
        user, once and for all, of which nothing is verified.
    k, rule
        Pseudonyms that each user might carry, at least, and when she passes (``some``).
    adversary
        What she has seen: ``none``, ``endpoints``, ``daily``, ``home``, or her sightings.
    rules
        Which exchanges are possible; None: at mix zones all of them.
    enforced
        Suppress cells until every user passes.
    random
        Source of randomness; None: the system's cryptographic source, as a publication needs. The
        seed of a seeded generator reveals the pseudonyms.

    Raises
    ------
    InputError
        Traces with gaps or coordinates, a k below 2, an unknown method or adversary, or rules that
        do not fit the method or the traces.

    Examples
    --------
    >>> import mixsafe
    >>> release = mixsafe.pseudonymize(mixsafe.load(mixsafe.sample("town")), k=3)
    >>> release.privacy.holds
    False
    """
    if method not in ("mixzone", "rotate", "shuffle"):
        raise InputError(f"unknown method '{method}'", hint="use mixzone, rotate or shuffle")
    cells, rules = _cells(traces), rules or ExchangeRules()
    if method == "shuffle":
        if rules != ExchangeRules():
            raise InputError("a static shuffle exchanges nothing", hint="use method mixzone")
        return release_shuffled(cells, random)
    if method == "rotate":
        rules = replace(rules, meetings=False)
    if isinstance(adversary, str):
        adversary = knowledge(adversary, visible_zones(cells), shown_positions(cells))
    demand = Demand(k, adversary, rule or Rule.default(every_time=True))
    zones_of = partial(exchange_zones, rules=rules)
    return release_exchanged(cells, demand, random, zones_of=zones_of, enforced=enforced)


def _cells(traces: Traces | TraceMatrix) -> Cells:
    """True regions, as cells of a release."""
    matrix = TraceMatrix.of_traces(traces) if isinstance(traces, Traces) else traces
    n_regions = max(int(matrix.region.max()) + 1, Regions.of_contest().count)
    return Cells.of_regions(matrix.region, n_regions, matrix.first_time)
