"""Releases, sightings and outputs whose places have names: names say as much as numbers do."""

import json
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import mixsafe
from mixsafe.documents.atlas import Atlas, place_names
from mixsafe.errors import InputError
from mixsafe.extract.large.extraction import WantedZones
from mixsafe.extract.pose import pose
from mixsafe.extract.positions import positions
from mixsafe.from_files.large_sources import extract
from mixsafe.from_files.released import in_one_time, read_knowledge, read_release
from mixsafe.io.traces.table import write_table
from mixsafe.machinery.spill import SpillRoom
from mixsafe.network.graphs import graph
from mixsafe.unicity.curves import curves
from mixsafe_cli.app import app

NAMES = ["0150", "lab", "150", "Lab", "1", "AP 10", "AP 2", "é"]
"""In another order than the numbers that they stand for."""

STEPS, PEOPLE = 12, 8


def walks(seed):
    """People at 8 places; in which they are two to a place on average."""
    random = np.random.default_rng(seed)
    place = random.integers(0, len(NAMES), (PEOPLE, STEPS))
    row, step = np.nonzero(random.random(place.shape) < 0.8)
    return pd.DataFrame({"user_id": row + 1, "time_id": step + 1, "reg_id": place[row, step] + 1})


def named(frame):
    return frame.assign(reg_id=[NAMES[one - 1] for one in frame.reg_id])


def saved(frame, path):
    frame.to_csv(path, index=False)
    return path


def pseudonymous(frame):
    return frame.assign(user_id=frame.user_id + 100).rename(columns={"user_id": "pseudonym"})


@pytest.mark.parametrize("seed", range(3))
def test_names_in_place_of_numbers_change_no_verdict(seed, tmp_path):
    walked = walks(seed)
    seen = walked.sample(12, random_state=seed)
    answers = []
    for kind in (lambda frame: frame, named):
        traces = mixsafe.load(kind(walked))
        found = mixsafe.verify(traces, k=2).wires
        release = saved(kind(pseudonymous(walked)), tmp_path / "release.csv")
        audited = mixsafe.audit(release, saved(kind(seen), tmp_path / "seen.csv"), k=2)
        columns = ["user_id", "from_time", "to_time", "lower", "upper", "verdict"]
        answers.append((found[columns], audited.intervals[columns]))
    for one, other in zip(*answers, strict=True):
        pd.testing.assert_frame_equal(one, other)


def test_sightings_are_at_the_places_of_the_release_by_name(tmp_path):
    """Also where they name few of them, or are written as numbers."""
    release = pd.DataFrame(
        {
            "pseudonym": [7, 8, 7, 8],
            "time_id": [1, 1, 2, 2],
            "reg_id": ["lab", "150", "0150", "lab"],
        }
    )
    path = saved(release, tmp_path / "release.csv")
    for place, step, track in (("lab", 2, 8), (150, 1, 8), ("0150", 2, 7)):
        seen = pd.DataFrame({"user_id": ["eve"], "time_id": [step], "reg_id": [place]})
        file = saved(seen, tmp_path / "seen.csv")
        rows = mixsafe.audit(path, file, k=2).evidence.pins.rows
        assert (rows + 7).tolist() == [track]
    for place in ("Lab", 151, "0151"):
        seen = pd.DataFrame({"user_id": ["eve"], "time_id": [1], "reg_id": [place]})
        with pytest.raises(InputError, match=f"line 2.*no published track was at {place} then"):
            mixsafe.audit(path, saved(seen, tmp_path / "seen.csv"), k=2)


def test_sightings_by_name_find_the_places_of_a_release_that_has_numbers(tmp_path):
    release = pd.DataFrame({"pseudonym": [7, 8], "time_id": [1, 1], "reg_id": [150, 3]})
    path = saved(release, tmp_path / "release.csv")
    released = read_release(path)
    seen = pd.DataFrame({"user_id": ["a", "b"], "time_id": [1, 1], "reg_id": ["150", "lab"]})
    with pytest.raises(InputError, match=r"line 3.*no published track was at lab then"):
        read_knowledge(saved(seen, tmp_path / "seen.csv"), released)


def test_two_places_that_the_release_does_not_have_are_two(tmp_path):
    release = pd.DataFrame({"pseudonym": [7], "time_id": [1], "reg_id": ["lab"]})
    released = read_release(saved(release, tmp_path / "release.csv"))
    seen = pd.DataFrame({"user_id": ["a", "a"], "time_id": [1, 1], "reg_id": ["x", "y"]})
    with pytest.raises(InputError, match=r"line 3.*the user is elsewhere at that time"):
        read_knowledge(saved(seen, tmp_path / "seen.csv"), released)


def test_releases_together_have_the_same_places_by_name(tmp_path):
    """The first place of the one is not the first of the other."""
    seen = pd.DataFrame({"user_id": ["a"] * 2, "time_id": [1, 3], "reg_id": ["mall", "zoo"]})
    file = saved(seen, tmp_path / "seen.csv")
    paths = []
    for number, places in enumerate((["mall", "zoo"], ["lab", "zoo"]), 1):
        times = [2 * number - 1] * 2
        frame = pd.DataFrame({"pseudonym": [1, 2], "time_id": times, "reg_id": places})
        paths.append(saved(frame, tmp_path / f"{number}.csv"))
    for track, released in enumerate(in_one_time([read_release(path) for path in paths])):
        found = read_knowledge(file, released)
        assert found.step.tolist() == [1]
        tracks = released.published.fitting(found.step, found.place)
        assert tracks.rows.tolist() == [track]


def test_habits_are_at_the_places_of_the_data_by_name():
    """Other data name other places: their numbers are not the same ones."""
    walked = walks(5)
    habits = walked.assign(reg_id=walked.reg_id % len(NAMES) + 1)
    found = []
    for kind in (lambda frame: frame, named):
        where, other = (
            positions(mixsafe.load(kind(frame))) for frame in (walked, habits[habits.reg_id > 2])
        )
        found.append(curves(where, 2, at_most=2, draws=3, reference=other).to_dict())
        found[-1].pop("seconds")
    assert found[0] == found[1]


def test_what_is_shown_and_written_of_places_is_their_names(tmp_path):
    traces = mixsafe.load(named(walks(1)))
    problem = pose(traces)
    labels = problem.zones.place_labels
    assert set(labels) <= set(NAMES)
    nodes = [node for _, node in graph(problem.zones, "wires").nodes(data=True)]
    assert [one["place"] for one in nodes if one["kind"] == "zone"] == labels
    atlas = Atlas.of(traces, time_step=60)
    assert place_names(problem.zones.place, atlas) == labels
    write_table(tmp_path / "t.csv", traces)
    again = mixsafe.load(tmp_path / "t.csv")
    assert again.place_names == traces.place_names
    assert np.array_equal(again.region, traces.region)


@pytest.mark.parametrize(
    "command",
    [
        ["verify", "T", "--k", "2"],
        ["weigh", "T", "--exhaustive"],
        ["breaking", "T", "--k", "2"],
        ["optimize", "T", "--k", "2", "--at", "6", "--adversary", "none", "--per", "place"],
        ["audit", "R", "--knowledge", "T", "--k", "2"],
    ],
    ids=lambda words: words[0],
)
def test_json_calls_places_by_their_names(command, tmp_path):
    """No page and no table may say 1 where the data say 0150."""
    files = {
        "T": saved(named(walks(2)), tmp_path / "traces.csv"),
        "R": saved(named(pseudonymous(walks(2))), tmp_path / "release.csv"),
    }
    words = [str(files.get(word, word)) for word in command]
    out = CliRunner().invoke(app, [*words, "--json", str(tmp_path / "a.json")])
    assert out.exception is None or isinstance(out.exception, SystemExit), out.output
    said = list(_places(json.loads((tmp_path / "a.json").read_text())))
    assert said
    assert {one for one in said if one is not None} <= set(NAMES)


def _places(found, key=None):
    """All that a JSON text says of single places."""
    if isinstance(found, dict):
        for name, value in found.items():
            yield from _places(value, name)
        names = [one["name"] for one in found.get("columns", ()) if isinstance(one, dict)]
        if "place" in names:
            yield from (row[names.index("place")] for row in found["rows"])
    elif isinstance(found, list):
        for value in found:
            yield from _places(value, key)
    elif key == "place":
        yield found


def test_a_protected_release_names_its_places(tmp_path):
    path = saved(named(walks(2)), tmp_path / "traces.csv")
    words = ["protect", str(path), "--k", "2", "--rule", "some"]
    for number in range(1, 4):
        folder = tmp_path / str(number)
        CliRunner().invoke(app, [*words, "--apply", str(number), "-o", str(folder)])
        if folder.exists():
            for file in ("secret/traces.csv", "publish/release.csv"):
                written = pd.read_csv(folder / file, dtype=str)
                assert set(written.reg_id) <= set(NAMES)
            return
    pytest.fail("no remedy was written")


def test_the_layout_of_the_contest_is_not_taken_for_that_of_names():
    """Regions 1 to 1,024 at numbered times are drawn as a map of 32 by 32; names are not."""
    atlas = Atlas.of(mixsafe.load(named(walks(1))), time_step=60)
    assert not atlas.drawn
    assert atlas.words is None
    assert Atlas.of(mixsafe.load(walks(1)), time_step=60).drawn


def test_a_release_with_the_header_of_the_contest_may_have_names(tmp_path):
    release = pd.DataFrame({"pse_id": [7, 8], "time_id": [1, 1], "reg_id": ["lab", "150"]})
    released = read_release(saved(release, tmp_path / "release.csv"))
    assert released.published.zones.place_names == ("150", "lab")
    seen = pd.DataFrame({"user_id": ["a"], "time_id": [1], "reg_id": ["lab"]})
    assert read_knowledge(saved(seen, tmp_path / "seen.csv"), released).place.tolist() == [2]


def test_in_the_form_of_the_contest_a_zero_does_not_make_two_places_one(tmp_path):
    """Tracks at 0150 and 150 met, and were said to hide each other."""
    release = pd.DataFrame({"pse_id": [3, 4], "time_id": [1, 1], "reg_id": ["150", "0150"]})
    with pytest.raises(InputError, match=r"line 3.*'0150' is not a released cell"):
        read_release(saved(release, tmp_path / "release.csv"))
    told = release.assign(reg_id=["0150", "150"])
    assert len(read_release(saved(told, tmp_path / "release.csv")).published.zones) == 0


def test_data_larger_than_memory_call_places_by_their_names(tmp_path):
    path = saved(named(walks(3)), tmp_path / "traces.csv")
    with closing(SpillRoom(400_000_000, tmp_path, 7)) as scratch:
        found = extract(path, WantedZones(), scratch)
        atlas, posed = Atlas.of_extraction(found), pose(found, placed=True)
        labels = pose(mixsafe.load(path)).zones.place_labels
        assert found.zones.place_labels == labels
        assert place_names(found.zones.place, atlas) == labels
        tracks = posed.track_places
        said = [tracks.label(number) for number in range(len(tracks.ids))]
        assert said == sorted(NAMES)
