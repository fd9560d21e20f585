"""A comparison of engines for people: whether they agree, and how long each took."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mixsafe_cli.render.printing import Part, Written, headline, table

if TYPE_CHECKING:
    from mixsafe.compare.comparison import Comparison


def show(comparison: Comparison, written: Written) -> Iterator[Part]:
    """Whether engines agree, and a row per number of users with columns per engine."""
    style = "bold green" if comparison.word == "AGREE" else "bold yellow"
    yield headline(comparison.word, style, comparison.sentence)
    yield f"Limit  {comparison.limit:g} s for each run"
    columns = [(f">{engine}: median s", ">finished") for engine in comparison.engines]
    rows = []
    for users, found in comparison.summary().groupby("users"):
        cells = [str(users)]
        for engine in comparison.engines:
            row = found[found["engine"] == engine].iloc[0]
            late = "> " if row["finished"] * 2 <= row["runs"] else ""
            cells += [f"{late}{row['median']:.2f}", f"{row['finished']} of {row['runs']}"]
        rows.append(cells)
    yield table((">users", *itertools.chain(*columns)), rows)
    yield ""
    yield "Next: every run is in --output runs.csv, the times as a picture in --plot times.svg."
    yield written.page("times.json")
