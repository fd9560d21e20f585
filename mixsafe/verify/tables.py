"""Answers as tables for people: wires, requirements, users, candidates."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mixsafe.errors import InputError
from mixsafe.machinery.memory import default_memory
from mixsafe.model.answer.verdict import DECISIONS, Argument
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.verify.distinct_places import CandidatePlaces
from mixsafe.verify.place_counts import EveryStep, PlaceCounts
from mixsafe.verify.rows import Rows, UserRows, WireTimes

_ENTRY_BYTES = 400
"""Memory of a user's candidates at a step, in a list and as JSON, if the user has few."""

_WORDS = np.array([verdict.value for verdict in DECISIONS])
_ARGUMENTS = [argument.word for argument in Argument]


def _decided_by(codes: npt.NDArray[np.uint8]) -> pd.Categorical[str]:
    return pd.Categorical.from_codes(codes.astype(np.int8), categories=pd.Index(_ARGUMENTS))


def labels(axis: TimeAxis, steps: npt.NDArray[np.int32]) -> npt.NDArray[Any] | pd.Series:
    """Outside names of steps: time_ids, or times with their zone."""
    if axis.step_seconds is None:
        return steps.astype(np.int64) + (axis.first - 1)
    seconds = axis.first + (steps.astype(np.int64) - 1) * axis.step_seconds
    times = pd.to_datetime(pd.Series(seconds), unit="s", utc=True)
    return times.dt.tz_convert(axis.tz)


def wire_table(zones: MixZones, rows: Rows) -> pd.DataFrame:
    """A row per wire: user_id, from_time, to_time, k, lower, upper, verdict, decided_by."""
    return pd.DataFrame(
        {
            "user_id": zones.users[rows.user],
            "from_time": labels(zones.axis, rows.start),
            "to_time": labels(zones.axis, rows.end),
            "k": rows.k,
            "lower": rows.lower,
            "upper": rows.upper,
            "verdict": pd.Categorical.from_codes(rows.verdict, categories=pd.Index(_WORDS)),
            "decided_by": _decided_by(rows.decided_by),
        }
    )


def requirement_table(zones: MixZones, rows: Rows) -> pd.DataFrame:
    """A row per requirement: user, time, k, verdict, lower, upper, decided_by."""
    times = [zones.axis.label(step) for step in rows.start.tolist()]
    return pd.DataFrame(
        {
            "user": pd.Series(zones.users[rows.user].tolist(), dtype=object),
            "time": pd.Series(times, dtype=object),
            "k": rows.k.tolist(),
            "verdict": _WORDS.astype(object)[rows.verdict],
            "lower": rows.lower.tolist(),
            "upper": rows.upper.tolist(),
            "decided_by": [_ARGUMENTS[code] for code in rows.decided_by],
        }
    )


def with_places(table: pd.DataFrame, places: CandidatePlaces | None) -> pd.DataFrame:
    """The same with ``places_lower`` and ``places_upper``, if places were counted."""
    return table if places is None else _with_counts(table, places.counts)


def _with_counts(table: pd.DataFrame, counts: PlaceCounts) -> pd.DataFrame:
    return table.assign(places_lower=counts.lower, places_upper=counts.upper)


def table_parts(
    zones: MixZones, found: Rows, every_wire: bool, rows: int, places: CandidatePlaces | None = None
) -> Iterator[pd.DataFrame]:
    """The table of wires or of requirements, ``rows`` rows at a time, for files.

    The whole table of a city takes several times the memory of what was found. One part at least.
    """
    table = wire_table if every_wire else requirement_table
    for number, part in enumerate(found.parts(rows)):
        made = table(zones, part)
        if places is not None:
            here = slice(number * rows, (number + 1) * rows)
            made = _with_counts(made, PlaceCounts._make(one[here] for one in places.counts))
        yield made


def place_list(zones: MixZones, rows: Rows, every: EveryStep) -> list[dict[str, Any]]:
    """Places of the candidates at every step of rows: {"user_id", "time_id", "lower", "upper"}."""
    names = zones.users[rows.user].tolist()
    first, ptr = np.maximum(rows.start, 1).tolist(), every.ptr.tolist()
    lower, upper = every.lower.tolist(), every.upper.tolist()
    return [
        {
            "user_id": name,
            "time_id": zones.axis.label(first[row] + entry - ptr[row]),
            "lower": lower[entry],
            "upper": upper[entry],
        }
        for row, name in enumerate(names)
        for entry in range(ptr[row], ptr[row + 1])
    ]


def user_table(names: Names, users: UserRows) -> pd.DataFrame:
    """A row per user asked about: her verdict by the rule, and shares of the steps asked about.

    user_id, verdict, safe_share, undecided_share, known_share, lower, weight, without_data.
    """
    return pd.DataFrame(
        {
            "user_id": names[users.user],
            "verdict": _WORDS[users.verdict],
            "safe_share": users.safe_share,
            "undecided_share": users.undecided_share,
            "known_share": users.known_share,
            "lower": users.lower,
            "weight": users.weight,
            "without_data": users.without_data,
        }
    )


def check_listed(zones: MixZones, whole: WireTimes) -> None:
    """Refuse a list of candidates of every user and time that does not fit into memory.

    Raises
    ------
    InputError
        States the memory needed.
    """
    entries = int((whole.end.astype(np.int64) - whole.start + 1).sum())
    needed, most = entries * _ENTRY_BYTES, default_memory()
    if needed > most:
        raise InputError(
            f"the candidates of {zones.n_users:,} users at {zones.axis.steps + 1:,} steps take"
            f" {needed / 1e9:,.1f} GB of memory to list, more than half of the machine's"
            f" ({most / 1e9:,.1f} GB)",
            hint="take fewer users or a shorter time, or ask without --exhaustive",
        )


def domain_list(
    zones: MixZones, whole: WireTimes, answers: Answers, merged: npt.NDArray[np.int64]
) -> list[dict[str, Any]]:
    """Proven candidates of every user and time: {"user", "time", "pseudonyms"} each."""
    names = zones.users.tolist()
    listed = []
    for wire in range(len(whole.row)):
        candidates = tokens.members(answers.proven[merged[wire]]).tolist()
        pseudonyms = [names[token] for token in candidates]
        user = names[whole.row[wire]]
        listed += [
            {"user": user, "time": zones.axis.label(step), "pseudonyms": pseudonyms}
            for step in range(int(whole.start[wire]), int(whole.end[wire]) + 1)
        ]
    return listed


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a table as JSON objects; times as text, and null for what is missing."""
    rows: list[dict[str, Any]] = json.loads(table.to_json(orient="records", date_format="iso"))
    return rows
