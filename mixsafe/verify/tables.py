"""Answers as tables for people: wires, requirements, users, candidates."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mixsafe.model.answer.verdict import Argument, Verdict
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.requirement import Requirements, Rule
from mixsafe.network.wires import WireNetwork
from mixsafe.verify.core import tokens
from mixsafe.verify.core.answers import Answers
from mixsafe.verify.parts import PartedAnswers

_WORDS = {argument: argument.word for argument in Argument}


def verdict_words(
    lower: npt.NDArray[np.int32], upper: npt.NDArray[np.int32], k: npt.NDArray[np.int32]
) -> npt.NDArray[np.object_]:
    """Verdict on each question, from proven bounds."""
    words = np.array([verdict.value for verdict in Verdict], dtype=object)
    return words[verdict_codes(lower, upper, k)]


def verdict_codes(
    lower: npt.NDArray[np.int32], upper: npt.NDArray[np.int32], k: npt.NDArray[np.int32]
) -> npt.NDArray[np.int8]:
    """0 for safe, 1 for unsafe, 2 for undecided: the order of :class:`Verdict`."""
    return ((lower < k) * (1 + (upper >= k))).astype(np.int8)


def _decided_by(codes: npt.NDArray[np.uint8]) -> pd.Categorical[str]:
    words = [argument.word for argument in Argument]
    return pd.Categorical.from_codes(codes.astype(np.int8), categories=pd.Index(words))


def labels(axis: TimeAxis, steps: npt.NDArray[np.int32]) -> npt.NDArray[Any] | pd.Series:
    """Outside names of steps: time_ids, or times with their zone."""
    if axis.step_seconds is None:
        return steps.astype(np.int64) + (axis.first - 1)
    seconds = axis.first + (steps.astype(np.int64) - 1) * axis.step_seconds
    times = pd.to_datetime(pd.Series(seconds), unit="s", utc=True)
    return times.dt.tz_convert(axis.tz)


def wire_table(
    zones: MixZones,
    whole: WireNetwork,
    k: int,
    answers: Answers | PartedAnswers,
    merged: npt.NDArray[np.int64],
) -> pd.DataFrame:
    """A row per wire: user_id, from_time, to_time, k, lower, upper, verdict, decided_by.

    Parameters
    ----------
    zones, whole
        All mix zones, and their wires.
    k
        What was asked of every wire.
    answers
        Of the compressed network, a question per wire.
    merged
        (n_wires,) wire of the compressed network that each wire is part of.
    """
    lower, upper = answers.lower, answers.upper
    codes = verdict_codes(lower, upper, np.full_like(lower, k))
    verdicts = pd.Categorical.from_codes(
        codes[merged], categories=pd.Index([verdict.value for verdict in Verdict])
    )
    return pd.DataFrame(
        {
            "user_id": zones.users[whole.row],
            "from_time": labels(zones.axis, whole.start),
            "to_time": labels(zones.axis, whole.end),
            "k": np.int32(k),
            "lower": lower[merged],
            "upper": upper[merged],
            "verdict": verdicts,
            "decided_by": _decided_by(answers.decided_by[merged]),
        }
    )


def requirement_table(
    zones: MixZones,
    requirements: Requirements,
    answers: Answers | PartedAnswers,
    wire: npt.NDArray[np.int64],
    decided_by: npt.NDArray[np.uint8],
) -> pd.DataFrame:
    """A row per requirement: user, time, k, verdict, lower, upper, decided_by.

    Parameters
    ----------
    zones, requirements
        What was asked.
    answers
        The bounds.
    wire, decided_by
        (n_requirements,) each: wire of the compressed network, and what decided it.
    """
    lower, upper = answers.lower[wire], answers.upper[wire]
    times = [zones.axis.label(step) for step in requirements.time.tolist()]
    return pd.DataFrame(
        {
            "user": pd.Series(zones.users[requirements.row].tolist(), dtype=object),
            "time": pd.Series(times, dtype=object),
            "k": requirements.k.tolist(),
            "verdict": verdict_words(lower, upper, requirements.k),
            "lower": lower.tolist(),
            "upper": upper.tolist(),
            "decided_by": [_WORDS[Argument(code)] for code in decided_by],
        }
    )


def user_table(
    row: npt.NDArray[np.int32],
    weight: npt.NDArray[np.int64],
    asked: pd.DataFrame,
    names: Names,
    rule: Rule,
) -> pd.DataFrame:
    """A row per user asked about: user_id, verdict, safe_share, undecided_share, lower, weight.

    Parameters
    ----------
    row, weight
        (n_asked,) each: user of each row of ``asked``, and the steps that it stands for.
    asked
        Wires or requirements, with ``verdict`` and ``lower``.
    names
        (n_users,).
    rule
        When a user passes.
    """
    verdict, lower = asked["verdict"], asked["lower"].to_numpy()
    total = np.bincount(row, weight, minlength=len(names))
    safe, undecided = (
        np.bincount(row, weight * (verdict == word.value).to_numpy(), minlength=len(names))
        for word in (Verdict.SAFE, Verdict.UNDECIDED)
    )
    needed = {"every": total, "some": np.minimum(total, 1), "share": rule.share * total}
    slack = 1e-9 * total  # 0.7 of 10 steps is 7 of them, whatever the rounding of 0.7
    passes = safe >= needed[rule.kind] - slack
    may_pass = safe + undecided >= needed[rule.kind] - slack
    smallest = np.full(len(names), np.iinfo(np.int32).max)
    counts = weight > 0
    np.minimum.at(smallest, row[counts], lower[counts])
    table = pd.DataFrame(
        {
            "user_id": names,
            "verdict": np.select(
                [passes, ~may_pass],
                [Verdict.SAFE.value, Verdict.UNSAFE.value],
                Verdict.UNDECIDED.value,
            ),
            "safe_share": safe / np.maximum(total, 1),
            "undecided_share": undecided / np.maximum(total, 1),
            "lower": smallest,
            "weight": total.astype(np.int64),
        }
    )
    return table[total > 0].reset_index(drop=True)


def domain_list(
    zones: MixZones, whole: WireNetwork, answers: Answers, merged: npt.NDArray[np.int64]
) -> list[dict[str, Any]]:
    """Proven candidates of every user and time: {"user", "time", "pseudonyms"} each."""
    names = zones.users.tolist()
    listed = []
    for wire in range(whole.n_wires):
        candidates = tokens.members(answers.proven[merged[wire]]).tolist()
        pseudonyms = [names[token] for token in candidates]
        user = names[whole.row[wire]]
        listed += [
            {"user": user, "time": zones.axis.label(step), "pseudonyms": pseudonyms}
            for step in range(int(whole.start[wire]), int(whole.end[wire]) + 1)
        ]
    return listed
