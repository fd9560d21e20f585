"""Claims of safety are read from the pages, and broken by an attack that finds more."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.attack import DOCS, Claim, claims_of, data_of, holds
from benchmarks.fleet_study import TOWN
from benchmarks.follower import PUBLISHED
from benchmarks.plain_attacks import PLAIN
from mixsafe.io.gbfs.feed_writer import TRUTH, write_feed
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.synthesize.sharing.shared_fleet import FleetSettings, shared_fleet
from mixsafe.tracklets.linking import link

PAGE = """# A page

A follower is right for <!-- claim: guide drop=range,battery -->12% of rides, instead of
<!-- claim: guide -->**89.5%**; in zones for <!-- claim: zones 100 60 -->79.4 %.

| published | rides | named right | expected |
| --- | ---: | ---: | ---: |
| all fields | 5,130 | **90.6%** | 91.5% (87.1% to 93.2%) |
| neither range nor battery | 5,130 | **24.7%** | 26.7% (21.6% to 30.2%) |

| other | named right |
| --- | ---: |
| no claim | 50% |
"""


def test_claims_are_read_from_tables_and_from_markers(tmp_path: Path) -> None:
    """Protects pages and attacks from drifting apart: nothing is copied by hand."""
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    found = [(one.line, one.kind, one.about, one.share) for one in claims_of(page)]
    assert found == [
        (3, "guide", "drop=range,battery", 0.12),
        (4, "guide", "", pytest.approx(0.895)),
        (4, "zones", "100 60", pytest.approx(0.794)),
        (8, "published", "all fields", pytest.approx(0.906)),
        (9, "published", "neither range nor battery", pytest.approx(0.247)),
    ]


def test_every_claim_of_the_pages_is_about_data_that_are_known() -> None:
    """Protects from a claim that no attack is tried on."""
    claims = [one for page in sorted(DOCS.glob("*.md")) for one in claims_of(page)]
    kinds = {kind: [one for one in claims if one.kind == kind] for kind in {c.kind for c in claims}}
    assert set(kinds) == {"published", "density", "seed", "guide", "zones"}
    assert {one.about for one in kinds["published"]} == set(PUBLISHED)
    assert all(float(one.about) * (TOWN.area or 0) >= 1 for one in kinds["density"])
    assert all(int(one.about) for one in kinds["seed"])
    assert all(len(one.about.split()) == 2 for one in kinds["zones"])
    assert all(0 < one.share < 1 for one in claims)
    with pytest.raises(KeyError):
        data_of(Claim(DOCS, 1, "unknown", "", 0.5))


def test_an_attack_that_finds_more_breaks_a_claim(capsys: pytest.CaptureFixture[str]) -> None:
    """Protects the habit: the page and the line are named."""
    claim = Claim(Path("docs/page.md"), 7, "guide", "", 0.5)
    assert holds(claim, 1000, {"follower": 0.2, "nearest": 0.52})
    assert not holds(claim, 1000, {"follower": 0.2, "nearest": 0.54})
    assert "BROKEN  page.md:7 (guide): 50.0%" in capsys.readouterr().out


@pytest.mark.parametrize("name", list(PLAIN))
def test_plain_attacks_find_far_more_than_chance(name: str, tmp_path: Path) -> None:
    """Protects from an attack that finds nothing, against which every claim holds."""
    write_feed(tmp_path / "feed.jsonl", shared_fleet(FleetSettings(60, 1, 3.0), seed=1), truth=True)
    tracklets = read_feed(tmp_path / "feed.jsonl", truth=TRUTH).tracklets
    problem = link(tracklets)
    counts = np.diff(problem.ptr)
    chance = float((1 / counts[counts > 0]).mean())
    assert PLAIN[name](tracklets, problem) > 1.5 * chance
