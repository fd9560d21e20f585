"""Peers that are compared with mixsafe are asked the same question, and what they tell is right."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

from mixsafe.optimize.minimum import minimum_zones
from mixsafe.solver.state import tokens
from tests.support.oracles import domains_of, posterior
from tests.support.random_problems import random_problem


@pytest.fixture
def peers(root: Path, monkeypatch: pytest.MonkeyPatch):
    """The command, whose files import each other as scripts do."""
    monkeypatch.syspath_prepend(str(root / "benchmarks"))
    return importlib.import_module("peers")


@pytest.fixture(params=range(4))
def posed(request: pytest.FixtureRequest):
    """A problem that brute force can answer."""
    return random_problem(np.random.default_rng([57, request.param]))


def told_by(peers, posed, task, peer):
    asked = peers.question(posed, task, 60.0)
    shape, kind = peers.shape_of(task, asked)
    told = peers.Told(np.zeros(shape, kind), np.zeros(shape, kind))
    peer.ask[task](asked, told)
    return asked, told


def at_wires(posed, asked, truth):
    """What is true of each wire of the core, of what is true of each user and time."""
    network, steps = asked.core.network, asked.core.real_steps
    at = zip(network.row.tolist(), steps[network.start].tolist(), strict=True)
    return [truth[row, step] for row, step in at]


def each(peers, task):
    found = [peer for peer in peers.PEERS.values() if task in peer.ask and peer.versions]
    assert len(found) > 2
    return found


def test_all_candidates_are_those_of_brute_force(peers, posed):
    truth = domains_of(posed)
    for peer in each(peers, "all"):
        asked, told = told_by(peers, posed, "all", peer)
        expected = at_wires(posed, asked, truth)
        assert [set(tokens.members(one).tolist()) for one in told.low] == expected, peer.name
        assert not (told.low & told.high).any(), peer.name
        answers, of = peers.answered("all", told, posed.zones.n_users)
        assert answers == of, peer.name


def test_verdicts_on_k_are_those_of_brute_force(peers, posed):
    truth = domains_of(posed)
    for peer in each(peers, "k"):
        asked, told = told_by(peers, posed, "k", peer)
        expected = [len(one) >= peers.K for one in at_wires(posed, asked, truth)]
        assert (np.bitwise_count(told.low).sum(axis=1) >= peers.K).tolist() == expected, peer.name
        answers, of = peers.answered("k", told, posed.zones.n_users)
        assert answers == of, peer.name


def test_fewest_zones_are_as_many_as_by_another_method(peers, posed):
    found = minimum_zones(posed, method="dp").minimum
    least = np.inf if found is None else found
    for peer in each(peers, "zones"):
        _, told = told_by(peers, posed, "zones", peer)
        assert (told.low.tolist(), told.high.tolist()) == ([least], [least]), peer.name


def test_chances_are_those_of_brute_force(peers, posed):
    truth = posterior(posed, [1.0] * len(posed.zones), [1.0] * posed.zones.n_users)
    for peer in each(peers, "weights"):
        asked, told = told_by(peers, posed, "weights", peer)
        expected = np.array(at_wires(posed, asked, truth))
        np.testing.assert_allclose(told.low, expected, atol=1e-9, err_msg=peer.name)
        np.testing.assert_array_equal(told.low, told.high)


def test_a_contradiction_is_counted_and_ends_the_command_with_1(peers, tmp_path, monkeypatch):
    low = np.array([[0b01], [0b11]], np.uint64)
    wrong = np.array([[0b10], [0b01]], np.uint64)
    np.save(tmp_path / "one-all-a.low.npy", low)
    np.save(tmp_path / "one-all-a.high.npy", low * 0)
    assert peers.contradictions("one", "k", peers.Told(low * 0, wrong), tmp_path) == 1
    assert peers.contradictions("one", "k", peers.Told(low * 0, ~low), tmp_path) == 0
    results = tmp_path / "rows.jsonl"
    results.write_text('{"case": "one", "task": "k", "peer": "b", "limit": 1, "wrong": 1}\n')
    words = ["peers.py", "--cases", "", "--results", str(results)]
    monkeypatch.setattr(sys, "argv", words)
    assert peers.main() == 1


def test_a_peer_that_is_not_installed_is_a_row(peers, tmp_path, monkeypatch, capsys):
    gone = peers.Peer("nobody", ("no-such-package",), {"all": lambda asked, told: None})
    monkeypatch.setattr(peers, "PEERS", {"nobody": gone})
    results, page = tmp_path / "rows.jsonl", tmp_path / "page.md"
    words = ["peers.py", "--cases", "strong-12", "--results", str(results), "-o", str(page)]
    monkeypatch.setattr(sys, "argv", words)
    assert peers.main() == 0
    assert [row["status"] for row in peers.rows_of(results)] == ["not installed"]
    assert "| nobody | not installed |" in page.read_text()


def row_of(peer, seconds, answers, **more):
    made = {
        "case": "one", "title": "one problem", "task": "all", "peer": peer, "seed": 0, "note": "",
        "limit": 20.0, "memory": 8.0, "versions": f"{peer} 1", "status": "ended", "wrong": 0,
        "seconds": seconds, "processor": seconds, "peak_mib": 100, "answers": answers, "of": 10,
        "bounds": [], "machine": {"processor": "P", "cores": 2, "system": "S"},
    }  # fmt: skip
    return made | more


def test_the_page_says_who_is_faster_and_keeps_what_a_person_wrote(peers, tmp_path):
    """Protects readers from a peer that looks fast because it was ended, or gave up."""
    page = tmp_path / "page.md"
    page.write_text("# Old\n\n## What follows\n\nUse it.\n\n## Old table\n")
    rows = [
        row_of("mixsafe", 2.0, 10),
        row_of("quick", 1.0, 10),
        row_of("quicker than it", 1.95, 10),
        row_of("gives up", 0.5, 3),
        row_of("late", 20.0, 4, status="out of time", wrong=2),
        row_of("zones", 20.0, 0, status="out of time", of=1, bounds=[4.0, float("inf")]),
    ]
    peers.peer_page.write(page, rows)
    text = page.read_text()
    assert "| quick | **1.00** |" in text
    assert "| quicker than it | 1.95 |" in text
    assert "| gives up | 0.5 (30%) |" in text
    assert "| late | > 20 (40%) |" in text
    assert "| zones | > 20 (4 to ∞) |" in text
    assert "quick is faster (1.00 s; mixsafe: 2.00 s).\n" in text
    assert "contradict each other: 2." in text
    assert "## What follows\n\nUse it.\n\n## All" in text
    assert "Old" not in text
