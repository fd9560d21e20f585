"""Sightings that cannot be read are skipped and counted, wherever they are wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.geometry.grid import Outlines, grid_at
from mixsafe.io.columns.reading import RowRules
from mixsafe.io.problems.side_tables import read_references
from mixsafe.io.traces.place_sightings import read_place_sightings
from mixsafe.model.mobility.time_axis import TimeAxis

AXIS = TimeAxis(10, 1709280900, 60, "UTC", None)
PLACES = Outlines(grid_at((52.0, 13.0), 100.0))
GOOD = ["x,2024-03-01 08:15:30,52.0,13.0", "y,2024-03-01 08:16:30,52.1,13.1"]
BAD = {
    "no time": "x,yesterday,52.0,13.0",
    "no time of somebody else": "z,yesterday,52.0,13.0",
    "no number": "x,2024-03-01 08:15:30,north,13.0",
    "no user": ",2024-03-01 08:15:30,52.0,13.0",
    "no place on Earth": "x,2024-03-01 08:15:30,95.3,13.0",
    "a cell too few": "x,2024-03-01 08:15:30,52.0",
}


def written(path: Path, rows: list[str]) -> Path:
    path.write_text("\n".join(["user_id,time,lat,lon", *rows]) + "\n")
    return path


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("name", BAD)
def test_a_bad_sighting_is_as_if_it_were_not_there(name: str, place: int, tmp_path: Path) -> None:
    """An unreadable time had become the first time of the file, without a word."""
    good = written(tmp_path / "good.csv", GOOD)
    bad = written(tmp_path / "bad.csv", [*GOOD[:place], BAD[name], *GOOD[place:]])
    expected = read_place_sightings(good, AXIS, outlines=PLACES).sightings
    with pytest.raises(InputError, match=f"line {place + 2}"):
        read_place_sightings(bad, AXIS, outlines=PLACES)
    rules = RowRules(skip_bad=True, most_bad="50%")
    found = read_place_sightings(bad, AXIS, outlines=PLACES, rules=rules).sightings
    assert found.users.tolist() == expected.users.tolist()
    assert all(
        np.array_equal(getattr(found, part), getattr(expected, part))
        for part in ("user", "step", "place")
    )
    assert [(one.reason, one.count) for one in found.premises.skipped] == [("bad row", 1)]


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("x,2024-03-01 09:15:30,52.0,13.0", "outside the release's"),
        ("x,2024-03-01 08:15:40,52.5,13.0", "the user is elsewhere at that time"),
    ],
)
def test_a_sighting_that_is_read_but_wrong_is_refused_all_the_same(
    row: str, says: str, tmp_path: Path
) -> None:
    """What the adversary saw is not skipped because it does not fit; nor is that advised."""
    path = written(tmp_path / "seen.csv", [*GOOD, row])
    for rules in (RowRules(), RowRules(skip_bad=True, most_bad="50%")):
        with pytest.raises(InputError, match=says) as caught:
            read_place_sightings(path, AXIS, outlines=PLACES, rules=rules)
        assert "--skip-bad" not in str(caught.value)


def test_sightings_may_have_dates_beside_times_of_the_day(tmp_path: Path) -> None:
    """As the data may: what one reads, the other does, too."""
    path = tmp_path / "seen.csv"
    path.write_text("user_id;date;time;lat;lon\nx;2024-03-01;08:15:30;52,0;13,0\n")
    plain = written(tmp_path / "plain.csv", GOOD[:1])
    found, expected = (
        read_place_sightings(one, AXIS, outlines=PLACES).sightings for one in (path, plain)
    )
    assert found.step.tolist() == expected.step.tolist()
    assert found.place.tolist() == expected.place.tolist()
    references = tmp_path / "asked.csv"
    references.write_text("user_id;date;time\nx;2024-03-01;08:15:30\n")
    _, _, step = read_references(references, np.array(["x"], object), AXIS)
    assert step.tolist() == expected.step.tolist()
