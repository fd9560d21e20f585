"""What weighing found as tables for people."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mixsafe.model.question.mix_zones import MixZones
from mixsafe.verify.tables import labels
from mixsafe.weigh.weighed import METHODS, Chances, Weighed, WeighedRows


def weighed_table(zones: MixZones, rows: WeighedRows) -> pd.DataFrame:
    """A row per wire; numbers are missing where that is not settled."""
    return pd.DataFrame(
        {
            "user_id": zones.users[rows.user],
            "from_time": labels(zones.axis, rows.start),
            "to_time": labels(zones.axis, rows.end),
            **found_columns(rows.found, zones.users, "token"),
            "variation": rows.found.variation,
        }
    )


def found_columns(found: Weighed, tokens: npt.NDArray[Any], token: str) -> dict[str, Any]:
    """Columns that tables of users and of published tracks share.

    Parameters
    ----------
    found
        What was found, a row each.
    tokens
        Names of the tokens.
    token
        Heading of the likeliest one; missing if there is none.
    """
    names = np.full(len(tokens) + 1, None, object)  # the last one is no token
    names[:-1] = tokens
    return {
        "proven": found.proven,
        "effective": found.effective,
        "best_guess": found.best,
        token: names[found.token],
        "low": found.low,
        "high": found.high,
        "error": found.error,
        "by": pd.Categorical.from_codes(found.method, categories=pd.Index(METHODS)),
        "rhat": found.rhat,
        "draws": found.draws,
    }


def posterior_list(zones: MixZones, rows: WeighedRows, chances: Chances) -> list[dict[str, Any]]:
    """How likely each candidate of each row is that is settled.

    Returns
    -------
    list
        ``user_id``, ``from_time``, ``to_time``, ``by`` and ``chances``, pairs of a pseudonym and
        its chance, the likeliest first.
    """
    names, axis = zones.users.tolist(), zones.axis
    bounds = np.searchsorted(chances.wire, np.arange(len(rows.user) + 1))
    return [
        {
            "user_id": names[rows.user[row]],
            "from_time": axis.label(int(rows.start[row])),
            "to_time": axis.label(int(rows.end[row])),
            "by": METHODS[rows.found.method[row]],
            "chances": [
                [names[token], chance]
                for token, chance in zip(
                    chances.token[begin:end].tolist(),
                    chances.chance[begin:end].tolist(),
                    strict=True,
                )
            ],
        }
        for row, (begin, end) in enumerate(itertools.pairwise(bounds.tolist()))
        if end > begin
    ]
