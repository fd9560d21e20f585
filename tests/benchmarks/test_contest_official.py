"""The organizers' standings: by the strongest attack, samples included, valid releases alone."""

import pytest

from benchmarks.contest_official import (
    contests,
    read_scores,
    standing_lines,
    standings,
    summary,
)

ROWS = """round,release,attack_by,score,value
final,pubtraces_team000_data01_IDP,,s_U,1
final,pubtraces_team000_data01_IDP,I2,s_R,0.5
final,pubtraces_team000_data01_IDP,team002,s_R,0.1
final,pubtraces_team000_data01_IDP,T3,s_T,0.6
final,pubtraces_team000_data01_IDP,SecI,s_R,0.1
final,pubtraces_team001_data01_IDP,,s_U,0.7
final,pubtraces_team001_data01_IDP,I2,s_R,0.4
final,pubtraces_team001_data01_IDP,team002,s_R,0.9
final,pubtraces_team001_data01_IDP,T3,s_T,0.6
final,pubtraces_team002_data01_IDP,,s_U,0.8
final,pubtraces_team002_data01_IDP,I2,s_R,0.8
final,pubtraces_team002_data01_IDP,team001,s_R,0.7
final,pubtraces_team002_data01_IDP,T3,s_T,0.3
final,pubtraces_team003_data01_IDP,,s_U,0.69
final,pubtraces_team003_data01_IDP,I2,s_R,1
final,pubtraces_team003_data01_IDP,T3,s_T,1
"""


def scores_of(tmp_path, text=ROWS):
    path = tmp_path / "official_scores.csv"
    path.write_text(text)
    return read_scores(path)


def test_the_strongest_attack_ranks_valid_releases_of_teams(tmp_path):
    scores = scores_of(tmp_path)
    assert list(contests(scores)) == [("final", "IDP")]
    table = standings(scores, "final", "IDP")
    assert table["team"].tolist() == ["002", "001", "003", "000"]
    assert table["rank"].fillna(0).tolist() == [1, 2, 0, 0]
    assert table["s_R"].tolist() == [0.7, 0.4, 1, 0.1]
    assert table["s_R by"].tolist() == ["team001", "I2", "I2", "team002"]
    assert table["s_R sample"].tolist() == [0.8, 0.4, 1, 0.5]


def test_the_lines_are_a_table_each(tmp_path):
    scores = scores_of(tmp_path)
    lines = list(standing_lines(scores, "final", "IDP"))
    assert lines[2] == "| 1 | team002 | 0.8000 | 0.7000 | team001 | 0.8000 | 0.3000 | T3 | 0.3000 |"
    assert lines[-1].startswith("| - | pseudonyms only | 1.0000 | 0.1000 | team002 | 0.5000 |")
    of_ids = list(summary(scores))[2]
    assert of_ids == (
        "| final, IDP | s_R | 2 | 0.7000 (team002) | 0.5500 | 0.1000 (team002) | 0.5000 |"
    )
    assert len({line.count("|") for line in lines}) == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("SecI,s_R,0.1", "SecI,s_R,0.2", "line 6 has 0.2 where attacks left 0.1"),
        ("team003_data01_IDP,I2", "team003_data02,I2", "unknown release"),
        ("team002,s_R,0.1", "I2,s_R,0.1", "line 4 gives a score again"),
    ],
)
def test_a_table_that_contradicts_itself_is_refused(tmp_path, old, new, message):
    assert old in ROWS
    with pytest.raises(ValueError, match=message):
        scores_of(tmp_path, ROWS.replace(old, new))


def test_the_standings_are_those_on_record(published):
    scores = read_scores(published("pwscup2019/official_scores.csv"))
    final = {name: standings(scores, "final", name) for name in ("IDP", "TRP")}
    assert final["IDP"].loc[0, ["team", "s_R"]].tolist() == ["001", pytest.approx(0.8)]
    assert final["TRP"].loc[0, ["team", "s_T"]].tolist() == ["009", pytest.approx(0.720, abs=5e-4)]
    ranked = final["TRP"][final["TRP"]["rank"].notna()]
    assert ranked["s_R"].median() == pytest.approx(0.39, abs=5e-3)
    assert ranked["s_T"].median() == pytest.approx(0.53, abs=5e-3)
    judge = final["IDP"].set_index("team").loc["000"]
    assert judge[["s_R", "s_T"]].tolist() == [pytest.approx(0.003), pytest.approx(0.0475, abs=5e-5)]
