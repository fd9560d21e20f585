"""What weighing found as tables for people."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mixsafe.model.question.mix_zones import MixZones
from mixsafe.verify.tables import labels
from mixsafe.weigh.weighed import WAYS, WeighedRows


def weighed_table(zones: MixZones, rows: WeighedRows) -> pd.DataFrame:
    """A row per wire; numbers are missing where that is not settled."""
    found = rows.found
    names = np.full(zones.n_users + 1, None, object)  # the last one is nobody
    names[:-1] = zones.users
    return pd.DataFrame(
        {
            "user_id": zones.users[rows.user],
            "from_time": labels(zones.axis, rows.start),
            "to_time": labels(zones.axis, rows.end),
            "proven": found.proven,
            "effective": found.effective,
            "best_guess": found.best,
            "token": names[found.token],
            "low": found.low,
            "high": found.high,
            "error": found.error,
            "by": pd.Categorical.from_codes(found.way, categories=pd.Index(WAYS)),
            "rhat": found.rhat,
            "draws": found.draws,
            "variation": found.variation,
        }
    )
