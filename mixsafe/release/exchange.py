"""Assignment of pseudonyms: one shuffle, or exchanges at visible mix zones."""

from __future__ import annotations

import secrets

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.extract.zones import mix_zones
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Positions
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.release.cells import Cells
from mixsafe.model.release.id_table import IdTable


def shown_positions(cells: Cells) -> Positions:
    """Places of rows in released cells: deleted cells have none.

    The same set of regions counts as the same place. Column ``c`` of the cells is step ``c + 1``.
    """
    row, column = np.nonzero(cells.code != cells.deleted)
    return Positions(
        users=np.arange(1, cells.n_rows + 1),
        axis=TimeAxis(steps=cells.n_steps, first=cells.first_time),
        row=row.astype(np.int32),
        step=(column + 1).astype(np.int32),
        place=cells.code[row, column].astype(np.int64),
    )


def visible_zones(cells: Cells) -> MixZones:
    """Mix zones that everybody sees in released cells: rows that show the same in one step."""
    return mix_zones(shown_positions(cells), min_users=2)


def shuffle_pseudonyms(
    n_users: int, random: np.random.Generator | None = None
) -> npt.NDArray[np.int32]:
    """Static pseudonyms as in the contest: (n_users, 1), a uniform permutation.

    Parameters
    ----------
    random
        None: the system's cryptographic source; use it for public releases. The seed of a seeded
        generator reveals the pseudonyms.
    """
    order = np.argsort(_random_keys(n_users, random), kind="stable")
    return order.astype(np.int32)[:, None]


def exchange_at_mix_zones(
    cells: Cells, zones: MixZones, random: np.random.Generator | None = None
) -> npt.NDArray[np.int32]:
    """Pseudonyms that their carriers exchange at mix zones (CSP paper, the ``same`` constraint).

    In each zone the pseudonyms of the members before the step are permuted among them, uniformly
    over all permutations, including the identity: a rule that always swaps a pair could be undone
    by anyone who knows it. The pseudonyms at the start are a uniform permutation.

    Parameters
    ----------
    cells
        The released cells of users.
    zones
        Where pseudonyms are exchanged: :func:`visible_zones` of ``cells``, or some of them.
    random
        As in :func:`shuffle_pseudonyms`.

    Returns
    -------
    (n_users, n_steps) int32
        Pseudonym from 0 that each user carries at each time, after that step's exchanges.

    Raises
    ------
    InputError
        Zones of other users or times, or of members who do not show the same cell: exchanging
        there would break tracks in a way that everybody sees.
    """
    _check_visible(cells, zones)
    owner = zones.zone_of_member
    # Sorting a zone's members by uniform keys permutes them uniformly.
    drawn = np.lexsort((_random_keys(len(owner), random), owner))
    giver = zones.members[drawn]
    pseudonym = np.empty((cells.n_rows, cells.n_steps), np.int32)
    current = shuffle_pseudonyms(cells.n_rows, random)[:, 0]
    begin = zones.ptr[np.searchsorted(zones.time, np.arange(1, cells.n_steps + 2))]
    for column in range(cells.n_steps):
        now = slice(begin[column], begin[column + 1])
        current[zones.members[now]] = current[giver[now]]
        pseudonym[:, column] = current
    return pseudonym


def shuffled_table(cells: Cells, random: np.random.Generator | None = None) -> IdTable:
    """One shuffle of pseudonyms, as the organizers of the contest do it.

    Parameters
    ----------
    cells, random
        As in :func:`exchanged_table`.
    """
    return IdTable.of_pseudonyms(shuffle_pseudonyms(cells.n_rows, random), cells.first_time)


def exchanged_table(
    cells: Cells, random: np.random.Generator | None = None, zones: MixZones | None = None
) -> IdTable:
    """Pseudonyms at each time, after exchanges at mix zones.

    Parameters
    ----------
    cells
        The released cells of users.
    random
        As in :func:`shuffle_pseudonyms`.
    zones
        Where pseudonyms are exchanged; None: wherever users are visibly together.

    Raises
    ------
    InputError
        Zones that do not fit the cells.
    """
    zones = visible_zones(cells) if zones is None else zones
    return IdTable.of_pseudonyms(exchange_at_mix_zones(cells, zones, random), cells.first_time)


def _random_keys(count: int, random: np.random.Generator | None) -> npt.NDArray[np.uint64]:
    """Uniform 64-bit keys; two are equal with a probability that no release will ever meet."""
    if random is None:
        return np.frombuffer(secrets.token_bytes(8 * count), np.uint64)
    return random.integers(0, 2**64, count, dtype=np.uint64)


def _check_visible(cells: Cells, zones: MixZones) -> None:
    """Refuse zones that do not fit the cells."""
    if zones.n_users != cells.n_rows or zones.axis.steps != cells.n_steps:
        raise InputError(
            f"mix zones of {zones.n_users} users and {zones.axis.steps} steps do not fit"
            f" {cells.n_rows} users and {cells.n_steps} steps"
        )
    owner = zones.zone_of_member
    shown = cells.code[zones.members, zones.time[owner] - 1]
    differs = (shown != shown[zones.ptr[:-1]][owner]) | (shown == cells.deleted)
    if differs.any():
        step = int(zones.time[owner[int(differs.argmax())]])
        raise InputError(
            f"the members of a mix zone at time {zones.axis.label(step)} do not show the same cell"
        )
