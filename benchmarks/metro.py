"""The table and the picture of docs/synthesize.md about the people of one city.

    python benchmarks/metro.py table 10000 100000 1000000
    python benchmarks/metro.py picture docs/figures/metro.svg

``table`` runs the command for each number of people, 96 steps each, and says what it cost, how
large the mix zones are, and into how many groups people fall who meet, directly or by others.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt
from matplotlib.colors import LogNorm
from measure import measure

from mixsafe.synthesize.scenarios.metro import Metropolis, metro

STEPS, SEED = 96, 1

SHOWN = 100_000
"""People in the picture."""

MOMENTS = ((0, "7:00"), (3, "8:30"), (8, "11:00"))
"""Steps that are shown."""

Regions = npt.NDArray[np.int32]


def regions(n_people: int, steps: int) -> Regions:
    """(steps, n_people) blocks in which people are."""
    pieces = [some.region.T for some in metro(n_people, steps=steps, seed=SEED)]
    return np.concatenate(pieces, axis=1)


def groups(region: Regions) -> int:
    """Number of groups of people who meet, directly or by others."""
    label = np.arange(region.shape[1], dtype=np.int32)
    while True:
        before = label.copy()
        for place in region:
            least = np.full(int(region.max()) + 1, len(label), np.int32)
            np.minimum.at(least, place, label)
            label = least[place]
        if np.array_equal(before, label):
            return len(np.unique(label))


def row(n_people: int) -> str:
    """A line of the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "metro.parquet"
        words = ["--users", str(n_people), "--steps", str(STEPS), "--seed", str(SEED)]
        tool = str(Path(sys.executable).with_name("mixsafe"))
        cost = measure([tool, "synthesize", "metro", *words, "-o", str(path), "--quiet"])
        megabytes = path.stat().st_size / 1e6
    region = regions(n_people, STEPS)
    counts = [np.bincount(place) for place in region]
    size = np.concatenate([count[count > 1] for count in counts])
    half, most, nearly, largest = np.quantile(size, [0.5, 0.99, 0.999, 1])
    cells = (
        f"{n_people:,}", f"{cost.seconds:.1f} ({cost.processor:.1f})", f"{cost.peak:.0f}",
        f"{megabytes:.1f}", f"{len(size):,}", f"{size.sum():,}",
        f"{half:.0f}, {most:.0f}, {nearly:.0f}, {largest:,.0f}", f"{groups(region)}",
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def table(sizes: list[int]) -> None:
    """Print the table."""
    heads = (
        "people", "wall (processor), s", "peak, MiB", "file, MB", "mix zones", "memberships",
        "sizes: median, 99%, 99.9%, largest", "groups",
    )  # fmt: skip
    print(f"| {' | '.join(heads)} |\n|{' ---: |' * len(heads)}")
    for n_people in sizes:
        print(row(n_people), flush=True)


def picture(path: Path) -> None:
    """Maps of the city: how many people are in each block."""
    side, region = Metropolis(SHOWN).side, regions(SHOWN, 24)
    counts = [np.bincount(region[step], minlength=side * side) for step, _ in MOMENTS]
    scale = LogNorm(1, max(count.max() for count in counts))
    plt.rcParams.update({"svg.hashsalt": "mixsafe", "svg.fonttype": "none"})
    figure, axes = plt.subplots(1, len(MOMENTS), figsize=(10, 3.6), layout="constrained")
    for ax, count, (_, clock) in zip(axes, counts, MOMENTS, strict=True):
        people = np.ma.masked_equal(count.reshape(side, side), 0)
        kilometres = (0, side / 10, 0, side / 10)
        image = ax.imshow(
            people, norm=scale, origin="lower", extent=kilometres, interpolation="none"
        )
        ax.set_title(f"{clock}: up to {count.max():,} in a block", fontsize=10)
        ax.set_xlabel("km")
    figure.colorbar(image, ax=axes, label="people in a block of 100 m")
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    what, *rest = sys.argv[1:] or [""]
    if what == "table" and rest:
        table([int(number) for number in rest])
    elif what == "picture" and len(rest) == 1:
        picture(Path(rest[0]))
    else:
        sys.exit(__doc__)
