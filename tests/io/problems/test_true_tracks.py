"""The secret table of a release: whose each pseudonym is, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.io.problems.true_tracks import read_true_tracks
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.release import TrueTracks

USERS = np.array([7, 9])
TRACKS = np.array([101, 102, 103])
AXIS = TimeAxis(3, 41)
NOON = 1211025600  # 2008-05-17T12:00:00Z
TIMED = TimeAxis(10, NOON, 60, "UTC")


def read(
    tmp_path: Path, content: str, axis: TimeAxis = AXIS, *, of_part: bool = False
) -> TrueTracks:
    path = tmp_path / "ids.csv"
    path.write_text(content)
    return read_true_tracks(path, USERS, TRACKS, axis, of_part=of_part)


def told(truth: TrueTracks) -> set[tuple[int, ...]]:
    step = np.zeros(len(truth.user)) if truth.step is None else truth.step
    return set(
        zip(truth.user.tolist(), step.astype(int).tolist(), truth.track.tolist(), strict=True)
    )


def test_a_table_without_times_is_about_all_times_and_others_do_not_count(tmp_path: Path) -> None:
    truth = read(tmp_path, "pse_id,user_id\n101,8\n102,9\n103,7\n")
    assert truth.step is None
    assert told(truth) == {(0, 0, 2), (1, 0, 1)}


def test_by_time_each_step_has_its_pseudonym(tmp_path: Path) -> None:
    rows = "101,41,7\n101,42,9\n102,41,9\n102,42,7\n103,43,7\n"
    truth = read(tmp_path, "pse_id,time_id,user_id\n" + rows)
    assert told(truth) == {(0, 1, 0), (1, 2, 0), (1, 1, 1), (0, 2, 1), (0, 3, 2)}


def test_with_a_clock_the_last_moment_in_a_step_counts(tmp_path: Path) -> None:
    """Users 7 and 9 exchange 101 and 102 within the first minute; 9 has no fix after it."""
    rows = f"101,{NOON},7\n102,{NOON + 5},9\n102,{NOON + 30},7\n"
    truth = read(tmp_path, "pseudonym,time,uid\n" + rows, TIMED)
    assert told(truth) == {(0, 1, 1)}
    both = rows + f"101,{NOON + 40},9\n"
    assert told(read(tmp_path, "pseudonym,time,uid\n" + both, TIMED)) == {(0, 1, 1), (1, 1, 0)}


def test_of_a_part_other_pseudonyms_are_no_track(tmp_path: Path) -> None:
    truth = read(tmp_path, "pse_id,user_id\n101,9\n500,7\n", of_part=True)
    assert told(truth) == {(1, 0, 0), (0, 0, -1)}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("user_id,time_id\n7,41\n", "line 1: no column 'pse_id' or 'pseudonym'"),
        ("pse_id,time_id\n101,41\n", "user_id"),
        ("pse_id,who\n101,7\n", "line 1: no column 'user_id'"),
        ("pse_id,user_id\n101,7\n999,9\n", "line 3, column 'pse_id': pseudonym 999 is not in"),
        ("pse_id,user_id\n101,7\n102,7\n103,7\n", "all pseudonyms are of one user, '7'"),
        ("pse_id,user_id\n101,7\n101,9\n", "line 3, column 'pse_id': pseudonym 101 is already"),
        ("pse_id,user_id\n101,7\n102,9\n103,7\n", "line 4, column 'user_id': user 7 already has"),
        ("pse_id,time_id,user_id\n101,41,7\n102,42,7\n103,42,9\n102,42,9\n", "already"),
        ("pse_id,time_id,user_id\n101,44,7\n102,41,9\n", "line 2, column 'time_id': time 44"),
        ("pse_id,time_id,user_id\n101,0,7\n102,41,9\n", "before the release's first, 41"),
        ("pse_id,time_id,user_id\n101,x,7\n102,41,9\n", "line 2"),
        ("pse_id,user_id\n101,7\n102,8\n", "column 'user_id': user 9 was seen, but the table"),
        ("pse_id,user_id\n101,70\n102,80\n", "user 7 was seen.* nor those of 1 others?"),
    ],
)
def test_what_cannot_be_the_truth_is_refused_in_one_line(
    tmp_path: Path, content: str, message: str
) -> None:
    with pytest.raises(InputError, match=message) as refused:
        read(tmp_path, content)
    assert "\n" not in str(refused.value)
    assert "ids.csv" in str(refused.value)
