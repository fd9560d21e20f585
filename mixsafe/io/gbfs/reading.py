"""Reading the tracklets of a feed, in whatever form it comes."""

from __future__ import annotations

import os

from mixsafe.io.gbfs.following import follow
from mixsafe.model.tracklets.feed import Feed


def read_feed(
    path: str | os.PathLike[str], *, truth: str | None = None, missed_polls: int = 0
) -> Feed:
    """Read the tracklets of a feed.

    Parameters
    ----------
    path
        A folder, an archive (.zip, .tar, .tar.gz) or a file of JSON lines (.jsonl) with GBFS
        snapshots; or a table of records or trips, CSV or Parquet.
    truth
        Column of the table, or key of each vehicle, that says which vehicle it is.
    missed_polls
        Number of snapshots in a row that may miss a vehicle that is there: its times are then known
        less exactly.

    Raises
    ------
    InputError
        The feed cannot be read; names the file and line.
    """
    records = follow(path, truth)
    return Feed(records.tracklets(missed_polls), (), (), len(records.times))
