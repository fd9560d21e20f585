"""Outcomes of a run as text: the organizers' table, and everything with its uncertainty."""

from __future__ import annotations

from collections.abc import Sequence

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


def scores_table(outcomes: Sequence[Outcome]) -> str:
    """CSV with a row per score: value, 95% interval, attempts, baseline, seconds."""
    lines = [
        "anonymiser,pseudonymization,valid,attack,score,value,low,high,attempts,baseline,seconds"
    ]
    for outcome in outcomes:
        valid = "yes" if outcome.utility.valid else "no"
        for name, score in {"utility": outcome.utility, **outcome.privacy}.items():
            low, high = score.interval
            lines.append(
                f"{outcome.anonymiser},{outcome.pseudonymization},{valid},{name},{score.kind},"
                f"{score.value!r},{low:.6f},{high:.6f},{score.attempts:g},{score.baseline:.6f},"
                f"{outcome.seconds[name]:.4f}"
            )
    return "\n".join(lines) + "\n"
