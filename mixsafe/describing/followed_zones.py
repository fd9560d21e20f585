"""Whom somebody would follow through mix zones who bets: by size, by place, by their definition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mixsafe.documents.atlas import PLACES, Atlas, place_names
from mixsafe.documents.document import Axis, Chart, Column, Panel, Part, Series, Table
from mixsafe.extract.exchange.follow_sample import follow_sample
from mixsafe.extract.exchange.followed import SURE, Followed
from mixsafe.extract.exchange.rotation import Rotated
from mixsafe.extract.positions import positions
from mixsafe.extract.zones import mix_zones
from mixsafe.geometry.grid import CellSize
from mixsafe.model.answer.follower_wording import named_sentence, open_sentence
from mixsafe.model.answer.wording import count, plural
from mixsafe.model.mobility.complete_traces import Regions
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.followed_zones import FollowedMembers
from mixsafe.model.question.mix_zones import EVERYWHERE, MixZones
from mixsafe.movement.permutations import MOST_EXACT

MOST_FIXES = 2_000_000
"""Fixes of data for which other cells and steps are tried: each takes as long as finding zones."""

_CLASSES = {
    "nobody": (0.0, "faint"),
    "up to 25%": (0.25, "amount-1"),
    "up to 75%": (0.75, "amount-2"),
    "more than 75%": (1.0, "amount-3"),
}
"""Classes of a place by its share of members named right beyond chance: the largest, and colour."""


@dataclass(frozen=True)
class OtherForm:
    """Mix zones of the same traces with other cells or steps, and whom somebody would follow.

    Parameters
    ----------
    cells
        Side of a grid cell, metres, or which cells of H3.
    time_step
        Length of a step, seconds.
    all_zones
        Number of mix zones.
    followed
        Members of all, or of some drawn at random.
    """

    cells: CellSize
    time_step: int
    all_zones: int
    followed: FollowedMembers

    def to_dict(self) -> dict[str, Any]:
        """The numbers as JSON."""
        form = {"cells": self.cells, "time_step": self.time_step, "zones_in_all": self.all_zones}
        return form | self.followed.to_dict()


@dataclass(frozen=True, eq=False)
class FollowedReport:
    """Whom somebody would follow through the mix zones of a source.

    Parameters
    ----------
    zones, followed
        The mix zones, and whom somebody would follow through them.
    others
        The same with other cells and steps; empty: the source has none, or has too many fixes.
    atlas
        Where places are; None: unknown.
    """

    zones: MixZones
    followed: Followed
    others: tuple[OtherForm, ...] = ()
    atlas: Atlas | None = None

    def to_dict(self) -> dict[str, Any]:
        """The numbers as JSON."""
        others = [one.to_dict() for one in self.others]
        return self.followed.to_dict() | ({"other_forms": others} if others else {})

    @property
    def sentence(self) -> str:
        """How many zones are real, after a blank; empty: there are none."""
        total = self.followed.total()
        if not total.members:
            return ""
        hide = f" {open_sentence(total)}" if total.open else ""
        return f" {named_sentence(total)}{hide}"

    def parts(self, *, pages: bool) -> Iterator[Part]:
        """Tables, and for pages a map of the places."""
        yield _by_size(self.followed)
        if self.others:
            yield _by_form(self.others)
        if pages and self.zones.place is not None and len(self.zones):
            yield from _by_place(self.zones, self.followed, self.atlas)


def other_forms(
    traces: Traces, cells: CellSize, time_step: int, min_users: int = 2, steps_per_day: int = 20
) -> tuple[OtherForm, ...]:
    """Follow the same people through the zones of larger cells and longer steps.

    Returns
    -------
    tuple
        Cells of this size, two and four times it (H3: up to two resolutions coarser), each with
        steps of this length and five times it, the asked one first. Empty: places or times are
        given, or there are more than ``MOST_FIXES`` fixes.
    """
    if not traces.in_cells or traces.clock != "unix" or len(traces.user) > MOST_FIXES:
        return ()
    found = []
    for size in _coarser(cells):
        for step in (time_step, 5 * time_step):
            zones = mix_zones(
                positions(traces, cell_size=size, time_step=step), min_users=min_users
            )
            followed = follow_sample(Rotated.never(zones), zones, traces, steps_per_day)
            if followed is not None and followed.total.members:
                found.append(OtherForm(size, step, len(zones), followed.total))
    return tuple(found)


def _coarser(cells: CellSize) -> tuple[CellSize, ...]:
    """These cells, and two coarser ones."""
    if isinstance(cells, str):
        resolution = int(cells.partition(":")[2])
        return tuple(f"h3:{one}" for one in range(resolution, max(resolution - 3, -1), -1))
    return (cells, 2 * cells, 4 * cells)


_COLUMNS = (
    Column("zones", "count"),
    Column("named right", "share"),
    Column("by chance", "share"),
    Column("sure of", "share"),
    Column("right when sure", "share"),
)


def _columns(numbers: FollowedMembers) -> tuple[float | None, ...]:
    """Shares of members, and of those that somebody is sure of."""
    return (
        numbers.named / numbers.members,
        numbers.zones / numbers.members,
        numbers.sure / numbers.members,
        numbers.sure_right / numbers.sure if numbers.sure else None,
    )


def _by_size(followed: Followed) -> Table:
    """Whom somebody would follow, by the size of zones."""
    rows = [
        (
            str(least) if least == most else f"{count(least)} to {count(most)}",
            numbers.zones,
            *_columns(numbers),
            numbers.open,
        )
        for least, most, numbers in followed.by_size()
    ]
    return Table(
        "Followed",
        f"Sure: with a belief above {SURE:.0%}. Beliefs are exact in zones of up to {MOST_EXACT}"
        " members, and by belief propagation in larger ones. Everybody is judged by what other"
        " people teach at other times.",
        (Column("members of a zone", "text"), *_COLUMNS, Column("zones that hide nobody", "count")),
        rows,
        text=followed.notes,
    )


def _by_form(others: tuple[OtherForm, ...]) -> Table:
    """Whom somebody would follow in zones of other cells and steps."""
    rows = [
        (
            one.cells if isinstance(one.cells, str) else f"{one.cells:g} m",
            f"{one.time_step / 60:g} min" if one.time_step >= 60 else f"{one.time_step} s",
            one.all_zones,
            *_columns(one.followed),
            one.followed.open / one.followed.zones,
        )
        for one in others
    ]
    drawn = any(one.followed.zones < one.all_zones for one in others)
    random = " Of many zones, some were drawn at random." if drawn else ""
    return Table(
        "Other cells and steps",
        f"The same people in zones of other cells (--cell-size) and steps (--time-step).{random}",
        (Column("cells"), Column("steps"), *_COLUMNS, Column("hide nobody", "share")),
        rows,
    )


def _by_place(zones: MixZones, followed: Followed, atlas: Atlas | None) -> Iterator[Part]:
    """Where zones are none: a map of places, and a table with the same content."""
    some = (followed.named >= 0) & (zones.place != EVERYWHERE)
    place = np.asarray(zones.place)[some]
    known, rank = np.unique(place, return_inverse=True)
    if not len(known):
        return
    n_zones, members, named, hides_nobody = (
        np.bincount(rank, values, len(known))
        for values in (
            np.ones(len(rank)), followed.size[some], followed.named[some], followed.open[some],
        )
    )  # fmt: skip
    order = np.lexsort((known, -(named - n_zones)))[:PLACES]
    part, chance = (values[order] / members[order] for values in (named, n_zones))
    beyond = np.maximum(part - chance, 0) / (1 - chance)
    left = len(known) - len(order)
    more = f" {plural(left, 'place', 'places')} with fewer are not shown." if left else ""
    if atlas is not None and atlas.drawn:
        yield _map(known[order], members[order], beyond, atlas, more)
    yield Table(
        "Places where people are followed",
        f"Where somebody names most members right beyond what lots would give.{more}",
        (
            Column("place"),
            Column("zones", "count"),
            Column("members", "count"),
            Column("named right", "share"),
            Column("by chance", "share"),
            Column("zones that hide nobody", "count"),
        ),
        list(
            zip(
                place_names(known[order], atlas),
                n_zones[order].astype(int).tolist(),
                members[order].astype(int).tolist(),
                part.tolist(),
                chance.tolist(),
                hides_nobody[order].astype(int).tolist(),
                strict=True,
            )
        ),
        pages_only=True,
    )


def _map(
    known: np.ndarray, members: np.ndarray, beyond: np.ndarray, atlas: Atlas, more: str
) -> Chart:
    """A disc for each place, the large ones first so that none hides another."""
    x, y = atlas.position(known)
    size = np.sqrt(16 + 700 * members / members.max())
    order, above, series = np.argsort(-size, kind="stable"), -1.0, []
    for label, (most, colour) in _CLASSES.items():
        those = order[(beyond[order] > above) & (beyond[order] <= most) & ~np.isnan(x[order])]
        above = most
        if len(those):
            north, east, discs = (values[those].round(3).tolist() for values in (y, x, size))
            series.append(Series(label, colour, north, east, "discs", size=discs))
    unit, side = "regions" if atlas.grid is None else "km", Regions.of_contest().columns
    low, high = (-0.8, side - 0.2) if atlas.grid is None else (None, None)
    return Chart(
        "Where zones hide nobody",
        "followed-places",
        f"{atlas.words} The larger a disc, the more often people are in a zone there; the stronger"
        " its colour, the more of them somebody follows who bets on how people move: of those whom"
        f" lots would not name.{more}",
        (
            Panel(
                tuple(series),
                Axis(f"west to east ({unit})", low=low, high=high),
                Axis(f"south to north ({unit})", low=low, high=high),
                height=6.0, equal=True, legend="members followed beyond chance",
            ),
        ),
    )  # fmt: skip
