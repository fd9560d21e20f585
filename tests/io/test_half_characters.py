"""Half a character, which JSON can escape and no file can hold, is refused where it is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mixsafe
from mixsafe.errors import InputError
from mixsafe.io.files.json_values import check_halves, has_half, json_text
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.io.objects.place_files import read_place_shapes
from mixsafe.io.problems.links import read_link_problems
from mixsafe.io.problems.problem import read_problems
from mixsafe.io.traces.published_sets import read_cabspotting
from mixsafe.report.result import objects_of

HALF = "a\ud800"


def problem(path: Path) -> object:
    zones = [[1, ["b", HALF]]]
    written(path, {"users": ["b", HALF], "horizon": 2, "zones": zones})
    return read_problems(path)


def problem_of_lines(path: Path) -> object:
    path = path.with_suffix(".jsonl")
    path.write_text('{"users": 2, "horizon": 2, "zones": []}\n' * 2 + '{"users": ["\\udcff"]}\n')
    return read_problems(path)


def links(path: Path) -> object:
    written(path, {"users": HALF, "tracklets": 1, "alive": [[0, 1]], "links": []})
    return read_link_problems(path)


def traces(path: Path) -> object:
    return mixsafe.load(written(path.with_suffix(".geojson"), features({"user_id": HALF})))


def traces_with_a_key(path: Path) -> object:
    return mixsafe.load(written(path.with_suffix(".geojson"), features({"user_id": 1, HALF: 1})))


def places(path: Path) -> object:
    pytest.importorskip("shapely")
    written(path.with_suffix(".geojson"), features({"name": HALF, "radius": 9}))
    return read_place_shapes(path.with_suffix(".geojson"))


def feed(path: Path) -> object:
    return read_feed(snapshots(path, HALF, HALF))


def feed_with_one_new_vehicle(path: Path) -> object:
    return read_feed(snapshots(path, "b", HALF))


def result(path: Path) -> object:
    return objects_of(written(path, {"users": [{"user": HALF}]}))


READERS = (
    problem, problem_of_lines, links, traces, traces_with_a_key, places, feed,
    feed_with_one_new_vehicle, result,
)  # fmt: skip


def written(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), "utf-8")
    return path


def features(properties: dict[str, Any]) -> dict[str, Any]:
    point = {"type": "Point", "coordinates": [9.0, 52.0]}
    one = {"type": "Feature", "geometry": point}
    rows = [{**one, "properties": {"time": "2024-03-01 08:00", **properties}}] * 2
    return {"type": "FeatureCollection", "features": rows}


def snapshots(path: Path, *names: str) -> Path:
    folder = path.with_suffix("")
    folder.mkdir()
    for number, name in enumerate(names):
        ids = [*(f"v{n}" for n in range(5)), name]
        bikes = [{"bike_id": one, "lat": 52.0, "lon": 9.0} for one in ids]
        text = {"last_updated": 1_700_000_000 + 60 * number, "ttl": 60, "data": {"bikes": bikes}}
        written(folder / f"{number}.json", text)
    return folder


@pytest.mark.parametrize("reader", READERS)
def test_every_reader_of_json_names_the_key(
    tmp_path: Path, reader: Callable[[Path], object]
) -> None:
    """It was a UnicodeEncodeError when something was written, or in PyArrow."""
    with pytest.raises(InputError, match=r"column '.*has half a character") as caught:
        reader(tmp_path / "x.json")
    assert caught.value.column is not None
    assert str(caught.value).isprintable()
    if reader is problem_of_lines:
        assert caught.value.line == 3


def test_tables_in_memory_name_the_column() -> None:
    pandas = pytest.importorskip("pandas")
    names = pandas.Series(["b", HALF], dtype=object)
    table = pandas.DataFrame({"user_id": names, "time_id": [1, 1], "reg_id": [1, 1]})
    with pytest.raises(InputError, match=r"column 'user_id': .* has half a character"):
        mixsafe.load(table)
    with pytest.raises(InputError, match="has half a character"):
        mixsafe.load({"user_id": ["b", HALF], "time_id": [1, 1], "reg_id": [1, 1]})
    with pytest.raises(InputError, match="do not form a table"):
        mixsafe.load({"user_id": [2**70, 1], "time_id": [1, 1], "reg_id": [1, 1]})


def test_names_of_files_that_are_users_are_utf8(tmp_path: Path) -> None:
    """The cab was left out, and the folder a traceback."""
    (tmp_path / "cabs").mkdir()
    (tmp_path / "cabs" / "new_\udcff.txt").write_text("37.75 -122.39 0 1213084687\n")
    with pytest.raises(InputError, match="bytes that are not UTF-8"):
        read_cabspotting(tmp_path / "cabs")
    inner = tmp_path / "parts" / "user_id=\udcff"
    inner.mkdir(parents=True)
    (inner / "t.csv").write_text("time_id,reg_id\n1,1\n")
    with pytest.raises(InputError, match="bytes that are not UTF-8"):
        mixsafe.load(tmp_path / "parts")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def halves_in(value: object) -> bool:
    if isinstance(value, dict):
        return any(has_half(key) or halves_in(one) for key, one in value.items())
    return any(map(halves_in, value)) if isinstance(value, list) else (
        isinstance(value, str) and any("\ud800" <= one <= "\udfff" for one in value)
    )  # fmt: skip


@given(json_values)
def test_what_passes_has_none_and_what_is_written_has_none(value: object) -> None:
    text = json.dumps(value).encode()
    try:
        check_halves(value, text, "x.json")
    except InputError:
        assert halves_in(value)
    else:
        assert not halves_in(value)
    for ascii_only in (False, True):
        made = json_text(value, ascii_only=ascii_only).encode("ascii" if ascii_only else "utf-8")
        assert not halves_in(json.loads(made))
        if not halves_in(value):
            assert json.loads(made) == value


def test_files_of_parquet_may_have_any_name(tmp_path: Path) -> None:
    """PyArrow wants names in UTF-8."""
    from mixsafe.io.files.tables import read_table
    from mixsafe.io.files.writing import write_columns

    path = tmp_path / "b\udcff.parquet"
    write_columns(path, pa.table({"n": [1, 2]}))
    assert read_table(path, {"n": "integer"}).values("n").tolist() == [1, 2]
