"""Witnesses as certificates have them: the exchanges in which tokens move."""

from __future__ import annotations

import numpy as np

from mixsafe.certify.witnesses.swap_cover import Swaps
from mixsafe.model.answer.certificate import Witnesses
from mixsafe.model.answer.ragged import Ints, Ragged, Whole
from mixsafe.model.csr import pointers
from mixsafe.model.distinct import distinct
from mixsafe.network.core import Core
from mixsafe.solver.state.witness import Differences


def exchanges_of(core: Core, differences: Differences) -> Witnesses:
    """The exchanges in which tokens move."""
    network = core.network
    witness = np.repeat(np.arange(len(differences.ptr) - 1), np.diff(differences.ptr))
    here = witness * network.n_wires + differences.wire
    order = np.argsort(here)
    here, token = here[order], differences.token[order]
    started = network.comes_from[differences.wire] >= 0
    ends = network.leads_to[differences.wire] >= 0
    own = witness * network.n_wires
    before = distinct(
        np.concatenate([(own + differences.wire - 1)[started], (own + differences.wire)[ends]])
    )  # witness, and wire on which a row comes to a zone
    row = network.row[before % network.n_wires]
    came, left = _token_at(before, row, here, token), _token_at(before + 1, row, here, token)
    moved = came != left
    before, row, left = before[moved], row[moved], left[moved]
    witness, wire = np.divmod(before, network.n_wires)
    zone = network.leads_to[wire].astype(np.int64)
    order = np.lexsort((row, zone, witness))
    return _grouped(
        core, len(differences.ptr) - 1, witness[order], zone[order], (row[order], left[order])
    )


def _token_at(wanted: Ints, row: Whole, here: Ints, token: Whole) -> Whole:
    """Token on a wire in a witness: that of its row, unless it differs."""
    there = np.searchsorted(here, wanted)
    found: Whole = row.copy()
    hit = np.flatnonzero(there < len(here))
    hit = hit[here[there[hit]] == wanted[hit]]
    found[hit] = token[there[hit]]
    return found


def _grouped(
    core: Core, n: int, witness: Ints, zone: Ints, moved: tuple[Whole, Whole]
) -> Witnesses:
    """Witnesses from rows that move, by witness and zone."""
    new = np.ones(len(zone), bool)
    new[1:] = (np.diff(witness) != 0) | (np.diff(zone) != 0)
    heads = np.flatnonzero(new)
    ptr = np.append(heads, len(zone))
    rows, tokens = moved
    return Witnesses(
        np.searchsorted(witness[heads], np.arange(n + 1)),
        core.real_steps[core.network.zone_time[zone[heads]]],
        Ragged(ptr, rows),
        Ragged(ptr, tokens),
    )


def swap_exchanges(core: Core, swaps: Swaps) -> Witnesses:
    """The exchanges of swaps: out, and, unless they last for ever, back again."""
    network = core.network
    back = swaps.end < network.n_zones
    exchanges = 1 + back
    ptr = pointers(exchanges)
    zone = np.empty(ptr[-1], np.int64)
    zone[ptr[:-1]] = swaps.begin
    zone[ptr[1:][back] - 1] = swaps.end[back]
    swap = np.repeat(np.arange(len(back)), exchanges)
    pair = np.stack([swaps.one, swaps.other], axis=1)[swap]
    is_back = np.arange(ptr[-1]) > ptr[:-1][swap]
    tokens = np.where(is_back[:, None], pair, pair[:, ::-1])
    places = 2 * np.arange(ptr[-1] + 1)
    return Witnesses(
        ptr,
        core.real_steps[network.zone_time[zone]],
        Ragged(places, np.ascontiguousarray(pair.ravel())),
        Ragged(places, np.ascontiguousarray(tokens.ravel())),
    )
