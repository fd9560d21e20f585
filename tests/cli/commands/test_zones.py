"""``mixsafe zones``."""

from __future__ import annotations

import json
from pathlib import Path

import geopandas
import h3
import networkx as nx
import pytest
from shapely import Polygon
from typer.testing import CliRunner

from mixsafe.io.problems.graphs import GRAPH_ENDINGS
from mixsafe.io.traces import in_pieces
from mixsafe.network.graphs import KINDS
from mixsafe.report.reporting import report
from mixsafe.synthesize.samples import sample
from mixsafe_cli.app import app
from mixsafe_cli.commands import zones
from mixsafe_cli.options.targets import GRAPH

TRACES = "user_id,time_id,reg_id\n1,1,7\n1,2,8\n2,1,7\n2,2,9\n3,1,7\n3,2,9\n4,1,1\n4,2,2\n"


def test_zones_are_written_a_row_per_membership_and_read_back(tmp_path: Path) -> None:
    traces, out = tmp_path / "traces.csv", tmp_path / "zones.csv"
    traces.write_text(TRACES)
    done = CliRunner().invoke(app, ["zones", str(traces), "-o", str(out)])
    assert done.exit_code == 0, done.stderr
    rows = [line.split(",") for line in out.read_text().splitlines()]
    assert rows[0] == ["time_id", "zone_id", "user_id"]
    assert [(row[0], row[2]) for row in rows[1:]] == [
        ("1", "1"),
        ("1", "2"),
        ("1", "3"),
        ("2", "2"),
        ("2", "3"),
    ]
    again = CliRunner().invoke(app, ["zones", str(out), "--json", "-"])
    assert json.loads(again.stdout)["memberships"] == 5


def test_people_are_followed_through_zones_only_when_asked(tmp_path: Path) -> None:
    cabs = str(sample("cabs"))
    plain = json.loads(CliRunner().invoke(app, ["zones", cabs, "--json", "-"]).stdout)
    assert "followed" not in plain
    done = CliRunner().invoke(app, ["zones", cabs, "--follow", "--json", "-"])
    assert done.exit_code == 0, done.stderr
    answer = json.loads(done.stdout)
    followed = answer["followed"]
    assert followed["zones"] == answer["zones"] == sum(s["zones"] for s in followed["by_size"])
    assert followed["zones"] < followed["named_right"] < followed["memberships"]
    assert "A follower who bets on how people move names" in answer["document"]["sentence"]
    written = tmp_path / "zones.json"
    written.write_text(done.stdout)
    assert "zones that hide nobody" in report(written)


def test_zones_without_fixes_are_not_followed(tmp_path: Path) -> None:
    traces, out = tmp_path / "traces.csv", tmp_path / "zones.csv"
    traces.write_text(TRACES)
    CliRunner().invoke(app, ["zones", str(traces), "-o", str(out)])
    done = CliRunner().invoke(app, ["zones", str(out), "--follow"])
    assert done.exit_code == 2
    assert "how people move is known from traces in memory only" in done.stderr


def test_the_summary_counts_zones_sizes_and_users_who_never_meet(tmp_path: Path) -> None:
    traces = tmp_path / "traces.csv"
    traces.write_text(TRACES)
    done = CliRunner().invoke(app, ["zones", str(traces), "--json", "-"])
    summary = json.loads(done.stdout)
    assert (summary["users"], summary["zones"], summary["positions"]) == (4, 2, 8)
    assert summary["sizes"] == {"2": 1, "3": 1}
    assert summary["users_who_never_meet"] == 1
    said = CliRunner().invoke(app, ["zones", str(traces)]).stdout
    written = tmp_path / "zones.json"
    written.write_text(done.stdout)
    page = report(written)
    for fact in ("traces.csv has 2 mix zones with 5 memberships.",
                 "4, of whom 1 never meet anyone", "1 of 2, 1 of 3 users"):  # fmt: skip
        assert fact in said
        assert fact in page


def test_larger_cells_make_more_meetings() -> None:
    def memberships(size: int) -> int:
        arguments = ["zones", str(sample("cabs")), "--cell-size", str(size), "--json", "-"]
        count: int = json.loads(CliRunner().invoke(app, arguments).stdout)["memberships"]
        return count

    assert memberships(50) < memberships(100) < memberships(400)


def test_problems_have_no_traces_to_look_for_zones_in(tmp_path: Path) -> None:
    path = tmp_path / "problem.json"
    path.write_text(
        '{"name": "p", "users": 2, "horizon": 1, "zones": [[1, [0, 1]]], "knowledge": []}'
    )
    done = CliRunner().invoke(app, ["zones", str(path)])
    assert done.exit_code == 2
    assert "problems say themselves" in done.stderr


def test_a_graph_of_wires_or_of_meetings_is_written_as_the_option_says(tmp_path: Path) -> None:
    traces = tmp_path / "traces.csv"
    traces.write_text(TRACES)
    for kind, more in (("wires", []), ("meetings", ["--graph-of", "meetings"])):
        path = tmp_path / f"{kind}.graphml"
        done = CliRunner().invoke(app, ["zones", str(traces), "--graph", str(path), *more])
        assert done.exit_code == 0, done.stderr
        assert f"{kind}.graphml" in done.stdout
        assert nx.read_graphml(path).graph["kind"] == kind
    met = nx.read_graphml(tmp_path / "meetings.graphml", node_type=int)
    assert {frozenset(edge) for edge in met.edges} == {
        frozenset(pair) for pair in ((1, 2), (1, 3), (2, 3))
    }
    assert met.edges[2, 3]["weight"] == 2


def test_a_graph_ends_in_gexf_too(tmp_path: Path) -> None:
    traces, path = tmp_path / "traces.csv", tmp_path / "wires.gexf"
    traces.write_text(TRACES)
    done = CliRunner().invoke(app, ["zones", str(traces), "--graph", str(path), "--json", "-"])
    assert json.loads(done.stdout)["zones"] == 2
    assert nx.read_gexf(path).number_of_nodes() == 4 + 5 + 2


def test_a_graph_that_cannot_be_made_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    traces, out = tmp_path / "traces.csv", tmp_path / "zones.csv"
    traces.write_text(TRACES)
    for options, said in (
        (["--graph", str(tmp_path / "graph.dot")], "end its name in .graphml or .gexf"),
        (["--graph", str(tmp_path / "none" / "a.gexf")], "its folder does not exist"),
        (["--graph", str(tmp_path / "a.gexf"), "--graph-of", "roads"], "'roads' is unknown"),
        (["--graph-of", "meetings"], "say --graph"),
        (["--graph", str(tmp_path / "a.gexf"), "--json", str(tmp_path / "a.gexf")], "same file"),
    ):
        done = CliRunner().invoke(app, ["zones", str(traces), "-o", str(out), *options])
        assert done.exit_code == 2
        assert said in " ".join(done.stderr.split())
    assert [path.name for path in tmp_path.iterdir()] == ["traces.csv"]


def test_names_that_a_graph_cannot_hold_are_refused_with_the_file(tmp_path: Path) -> None:
    traces, path = tmp_path / "traces.csv", tmp_path / "graph.graphml"
    traces.write_text("user_id,time,lat,lon\na\x01,2020-01-01T00:00:00Z,35.0,139.0\n")
    done = CliRunner().invoke(app, ["zones", str(traces), "--graph", str(path)])
    assert done.exit_code == 2
    assert "a\\x01" in done.stderr
    assert not path.exists()


def test_the_graphs_of_the_command_are_those_of_the_library() -> None:
    assert zones.GRAPHS == KINDS
    assert GRAPH.endings == GRAPH_ENDINGS


@pytest.mark.parametrize("command", ["zones", "verify"])
def test_what_is_larger_than_memory_is_told_as_what_is_not(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    traces, told = tmp_path / "traces.csv", {}
    traces.write_text(TRACES)
    words = [command, str(traces), "--users", "3", "--memory-limit", "600MB"]
    words += ["--temporary-folder", str(tmp_path)] + (["--k", "2"] if command == "verify" else [])
    for fix_bytes in (1, 10**9):
        monkeypatch.setattr(in_pieces, "FIX_BYTES", fix_bytes)
        out = tmp_path / f"{fix_bytes}.csv"
        done = CliRunner().invoke(app, [*words, "-o", str(out)])
        assert done.exit_code in (0, 1), done.stderr
        told[fix_bytes] = (done.exit_code, done.stderr, out.read_bytes())
    # Only how people move is known of traces in memory alone, and a verdict does not hide that.
    unknown = "note: whether people can be followed through the mix zones by how they move is not"
    status, said, table = told[10**9]
    assert said.startswith(unknown) is (command == "verify")
    assert told[1] == (status, "" if command == "verify" else said, table)
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--memory-limit", "much"], "--memory-limit: 'much' is not an amount of memory"),
        (["--memory-limit", "1MB"], "--memory-limit: a memory limit of 1MB is too small"),
        (["--temporary-folder", "nowhere"], "no such folder, given with --temporary-folder"),
    ],
)
def test_bad_limits_are_refused_before_anything_is_read(words: list[str], why: str) -> None:
    done = CliRunner().invoke(app, ["zones", "missing.csv", *words])
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert why in done.stderr


def test_places_of_zones_become_polygons_that_hold_them(tmp_path: Path) -> None:
    out, places = tmp_path / "zones.geojson", tmp_path / "places.geojson"
    words = ["zones", str(sample("cabs")), "--json", "-", "--map", str(out)]
    summary = json.loads(CliRunner().invoke(app, words).stdout)
    features = json.loads(out.read_text())["features"]
    numbers = [one["properties"] for one in features]
    assert len(features) == summary["places"]
    assert sum(one["mix_zones"] for one in numbers) == summary["zones"]
    assert sum(one["memberships"] for one in numbers) == summary["memberships"]
    assert all(1 < one["people"] <= one["memberships"] for one in numbers)
    # The cells are those of the same grid: as places they give the same zones.
    for one in features:
        one["properties"]["name"] = f"cell {one['properties']['place']}"
    places.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    words += ["--places", str(places)]
    assert json.loads(CliRunner().invoke(app, words).stdout)["zones"] == summary["zones"]
    again = json.loads(out.read_text())["features"]
    assert {one["properties"]["place"] for one in again} == {f"cell {n['place']}" for n in numbers}


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("zones.json", "is no map; end its name in .geojson or .parquet"),
        ("z.geojson", "locations of the mix zones are unknown"),
    ],
)
def test_a_map_that_cannot_be_is_one_line(tmp_path: Path, name: str, complaint: str) -> None:
    traces = tmp_path / "traces.csv"
    traces.write_text(TRACES)
    done = CliRunner().invoke(app, ["zones", str(traces), "--map", str(tmp_path / name)])
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert complaint in line
    assert not (tmp_path / name).exists()


def test_zones_may_be_those_of_h3_cells(tmp_path: Path) -> None:
    out = tmp_path / "zones.parquet"
    words = ["zones", str(sample("cabs")), "--json", "-", "--map", str(out), "--cells", "h3:8"]
    summary = json.loads(CliRunner().invoke(app, words).stdout)
    found = geopandas.read_parquet(out)
    assert (len(found), found["mix_zones"].sum()) == (summary["places"], summary["zones"])
    assert found.crs == "OGC:CRS84"
    for name, shape in zip(found["place"], found.geometry, strict=True):
        ring = [(lon, lat) for lat, lon in h3.cell_to_boundary(name)]
        assert shape.symmetric_difference(Polygon(ring)).area < 1e-9


def test_traces_that_stay_on_disk_have_the_same_h3_zones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for fix_bytes in (1, 10**9):
        monkeypatch.setattr(in_pieces, "FIX_BYTES", fix_bytes)
        out = tmp_path / f"{fix_bytes}.geojson"
        words = ["zones", str(sample("cabs")), "--cells", "h3:8", "--map", str(out), "--json", "-"]
        summary = json.loads(CliRunner().invoke(app, [*words, "--memory-limit", "600MB"]).stdout)
        made = [summary.pop(key) for key in ("command", "provenance")]
        assert str(out) in json.dumps(made)
        found.append((json.dumps(summary).replace(str(out), "out"), out.read_text()))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--cells", "h3:16"], "--cells: unknown cells 'h3:16'; use h3:0 to h3:15"),
        (["--cells", "h3:9", "--cell-size", "50"], "--cell-size cannot be given"),
        (["--cells", "h3:9"], "--cells cannot be given: places in"),
    ],
)
def test_cells_that_cannot_be_are_one_line(words: list[str], complaint: str) -> None:
    done = CliRunner().invoke(app, ["zones", str(sample("town")), *words])
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert complaint in line
