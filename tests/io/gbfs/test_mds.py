"""Trips of MDS, of both generations, are the table of trips that they say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.model.tracklets import Feed

START = 1_709_280_930
TABLE = """trip_id,device_id,start_time,end_time,start_lat,start_lng,end_lat,end_lng
t1,d1,{0},{600},52.50,13.4,52.51,13.4
t2,d1,{1800},{2400},52.51,13.4,52.52,13.4
t3,d2,{300},{540},52.55,13.4,52.56,13.4
"""
RIDES = [("t1", "d1", 0, 600, 50), ("t2", "d1", 1800, 2400, 51), ("t3", "d2", 300, 540, 55)]


def trip(name: str, device: str, start: int, end: int, **more: Any) -> dict[str, Any]:
    times = {"start_time": 1000 * (START + start), "end_time": 1000 * (START + end)}
    who = {"provider_id": "p", "device_id": device, "vehicle_id": f"no {device}", "trip_id": name}
    return {**who, **times, **more}


def new(name: str, device: str, start: int, end: int, at: int) -> dict[str, Any]:
    """A trip of version 2."""
    places = ({"lat": 52 + one / 100, "lng": 13.4} for one in (at, at + 1))
    return trip(
        name,
        device,
        start,
        end,
        **dict(zip(("start_location", "end_location"), places, strict=False)),
    )


def old(name: str, device: str, start: int, end: int, at: int) -> dict[str, Any]:
    """A trip of version 1, whose points are not in order."""
    features = [
        {
            "type": "Feature",
            "properties": {"timestamp": 1000 * (START + time)},
            "geometry": {"type": "Point", "coordinates": [13.4, lat]},
        }
        for time, lat in (
            ((start + end) // 2, 60.0),
            (end, 52 + (at + 1) / 100),
            (start, 52 + at / 100),
        )
    ]
    route = {"type": "FeatureCollection", "features": features}
    return {"route": route, "trip_duration": end - start, **trip(name, device, start, end)}


def answer(*trips: dict[str, Any], version: str = "1.2.0", last: bool = False) -> dict[str, Any]:
    """A response, whose keys are in either order."""
    said, data = {"version": version}, {"data": {"trips": [*trips]}}
    return {**data, **said} if last else {**said, **data}


def write(path: Path, document: object) -> Path:
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def is_like(one: Feed, other: Feed) -> bool:
    mine, its = one.tracklets, other.tracklets
    return mine.ids.tolist() == its.ids.tolist() and all(
        np.array_equal(getattr(a, name), getattr(b, name))
        for a, b in ((mine.begins, its.begins), (mine.ends, its.ends))
        for name in ("earliest", "latest", "lat", "lon", "cut")
    )


@pytest.mark.parametrize("made", [new, old])
@pytest.mark.parametrize("last", [False, True])
def test_trips_are_those_of_the_table(tmp_path: Path, made: Any, last: bool) -> None:
    lines = TABLE.replace("{", "").replace("}", "")
    rows = [line.split(",") for line in lines.splitlines()]
    for row in rows[1:]:
        row[2:4] = [str(START + int(second)) for second in row[2:4]]
    (tmp_path / "trips.csv").write_text("\n".join(map(",".join, rows)) + "\n")
    path = write(tmp_path / "trips.json", answer(*(made(*one) for one in RIDES), last=last))
    for columns in ({}, {"id": "trip_id"}):
        table = read_feed(tmp_path / "trips.csv", columns={"id": "device_id", **columns})
        assert is_like(read_feed(path, columns=columns), table)
    assert [one.kind for one in read_feed(path).findings] == ["kept"]
    told = read_feed(path, columns={"id": "trip_id"}, truth="device_id")
    assert told.vehicles == ("d1", "d2")


def test_answers_of_several_hours_are_read_together_and_trips_once(tmp_path: Path) -> None:
    trips = [new(*one) for one in RIDES]
    whole = read_feed(write(tmp_path / "all.json", answer(*trips)))
    folder = tmp_path / "hours"
    folder.mkdir()
    write(folder / "01.json", answer(*trips[:2]))
    write(folder / "02.json", answer(*trips[1:]))
    write(folder / "other.json", {"version": "2.0.0", "data": {"events": []}})
    assert is_like(read_feed(folder), whole)
    assert is_like(read_feed(write(tmp_path / "list.json", [answer(*trips)])), whole)


def test_a_trip_that_does_not_say_where_it_ended_is_nowhere(tmp_path: Path) -> None:
    trips = [old(*one) for one in RIDES]
    del trips[1]["route"]["features"][:2]
    found = read_feed(write(tmp_path / "trips.json", answer(*trips)), columns={"id": "trip_id"})
    assert found.tracklets.ids[~found.tracklets.ends.placed].tolist() == ["t2"]
    assert found.tracklets.begins.placed.all()
    assert found.premises.to_dict() == {"skipped": {"no position": 1}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"end_time": 1000 * START}, r"column 'end_time': row 2: the trip ends 1800 s before"),
        ({"device_id": None}, r"column 'device_id': row 2: the value is missing"),
        ({"start_time": "noon"}, r"column 'start_time': the values of trips have several types"),
        ({"trip_id": ["t1"]}, r"trip 2 has lists or objects in place of values"),
        ({"start_location": {"lat": 152, "lng": 13}}, r"column 'start_lat': row 2: latitude 152"),
    ],
)
def test_wrong_trips_are_refused_by_row(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    trips = [new(*one) for one in RIDES]
    trips[1] |= change
    path = write(tmp_path / "trips.json", answer(*trips))
    with pytest.raises(InputError, match=rf"trips\.json.*{message}"):
        read_feed(path)


def test_what_is_neither_a_feed_nor_trips_is_told_what_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "other.json", {"data": {"trips": []}})
    with pytest.raises(InputError, match=r"no snapshot of vehicles found.*data\.trips"):
        read_feed(path)


WRONG = (True, 5, "x", [], {}, [1], [[1]], {"a": 1}, [None], 10**400, float("nan"))


def _places(value: Any, above: tuple[Any, ...] = ()) -> Any:
    """Where there is something in a value of JSON."""
    keys = value if isinstance(value, dict) else range(len(value) if type(value) is list else 0)
    for key in keys:
        yield (*above, key)
        yield from _places(value[key], (*above, key))


def test_whatever_stands_in_an_answer_is_read_or_refused_with_its_file(tmp_path: Path) -> None:
    """Lists, objects and texts in place of numbers, and the other way round, were called bugs."""
    path = tmp_path / "trips.json"
    right = answer(old("t1", "d1", 0, 600, 50), new("t2", "d2", 1800, 2400, 51))
    for *above, last in _places(right):
        for value in WRONG:
            changed = json.loads(json.dumps(right))
            holder = changed
            for key in above:
                holder = holder[key]
            holder[last] = value
            path.write_text(json.dumps(changed))
            try:
                read_feed(path)
                file = str(path)
            except InputError as error:
                file = error.file
            assert file == str(path), (above, last, value)
