"""From released cells of users to a release: whose they are is in a secret table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mixsafe.errors import InputError
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.release.cells import Cells
from mixsafe.model.release.id_table import IdTable
from mixsafe.release.enforce import Demand, Privacy, enforce, privacy_of
from mixsafe.release.exchange import exchanged_table, shuffled_table, visible_zones


@dataclass(frozen=True, eq=False)
class Release:
    """What is published, and what is kept secret.

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
    """

    public: Cells
    table: IdTable
    n_zones: int = 0
    n_suppressed: int = 0
    privacy: Privacy | None = None


def release_shuffled(cells: Cells, random: np.random.Generator | None = None) -> Release:
    """A pseudonym for each user, once and for all, as in the contest.

    Parameters
    ----------
    cells
        The released cells of users.
    random
        None: the system's cryptographic source, as a release to the public should use. With a
        seeded generator, whoever learns the seed undoes the release.
    """
    table = shuffled_table(cells, random)
    return Release(table.publish(cells), table)


def release_exchanged(
    cells: Cells,
    demand: Demand,
    random: np.random.Generator | None = None,
    *,
    zones: MixZones | None = None,
    enforced: bool = False,
    progress: Progress = no_progress,
) -> Release:
    """Pseudonyms exchanged at mix zones, verified by the exact engine.

    Parameters
    ----------
    cells
        The released cells of users.
    demand
        What is asked of the release.
    random
        As in :func:`release_shuffled`.
    zones
        Where pseudonyms are exchanged; None: wherever users are visibly together.
    enforced
        Suppress cells until every user passes.
    progress
        Called with stage, questions settled and questions asked.

    Raises
    ------
    InputError
        k is not between 1 and the number of users, zones that do not fit the cells, or zones
        beside ``enforced``, which changes them.
    """
    if enforced and zones is not None:
        raise InputError("suppression changes the mix zones: they cannot be chosen beforehand")
    hidden = np.count_nonzero(cells.code == cells.deleted)
    if enforced:
        cells, privacy = enforce(cells, demand, progress)
        zones = visible_zones(cells)
    else:
        zones = visible_zones(cells) if zones is None else zones
        privacy = privacy_of(cells, zones, demand, progress)
    table = exchanged_table(cells, random, zones)
    n_suppressed = int(np.count_nonzero(cells.code == cells.deleted) - hidden)
    return Release(table.publish(cells), table, len(zones), n_suppressed, privacy)
