"""Outcomes of a run as text: the organizers' table, and everything with its uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mixsafe.contest.run import Outcome

ORGANIZERS_ATTACKS = ("I1", "I2", "I3", "T1", "T2", "T3")


def organizers_table(outcomes: Sequence[Outcome]) -> str:
    """CSV in the organizers' columns ``Ano,Util,I1,…,T3``, floats to the last digit.

    Other attacks follow as columns of their own; a cell is empty where an attack was not run.

    Parameters
    ----------
    outcomes
        Of one pseudonymization.
    """
    others = dict.fromkeys(name for outcome in outcomes for name in outcome.privacy)
    attacks = [*ORGANIZERS_ATTACKS, *(name for name in others if name not in ORGANIZERS_ATTACKS)]
    lines = [",".join(["Ano", "Util", *attacks])]
    for outcome in outcomes:
        scores = [outcome.privacy.get(name) for name in attacks]
        values = [outcome.utility, *scores]
        numbers = ["" if score is None else repr(score.value) for score in values]
        lines.append(",".join([outcome.anonymiser, *numbers]))
    return "\n".join(lines) + "\n"


def score_rows(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """A row per score: its release and attack, value, 95% interval, attempts, baseline, seconds."""
    rows = []
    for outcome in outcomes:
        for name, score in {"utility": outcome.utility, **outcome.privacy}.items():
            low, high = score.interval
            rows.append(
                {
                    "anonymiser": outcome.anonymiser,
                    "pseudonymization": outcome.pseudonymization,
                    "valid": bool(outcome.utility.valid),
                    "attack": name,
                    "score": score.kind,
                    "value": score.value,
                    "low": low,
                    "high": high,
                    "attempts": score.attempts,
                    "baseline": score.baseline,
                    "seconds": outcome.seconds[name],
                }
            )
    return rows


def scores_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """CSV of :func:`score_rows`."""
    lines = [
        "anonymiser,pseudonymization,valid,attack,score,value,low,high,attempts,baseline,seconds"
    ]
    for row in rows:
        valid = "yes" if row["valid"] else "no"
        lines.append(
            f"{row['anonymiser']},{row['pseudonymization']},{valid},{row['attack']},{row['score']},"
            f"{row['value']!r},{row['low']:.6f},{row['high']:.6f},{row['attempts']:g},"
            f"{row['baseline']:.6f},{row['seconds']:.4f}"
        )
    return "\n".join(lines) + "\n"
