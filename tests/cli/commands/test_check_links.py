"""``mixsafe check`` of a certificate of links."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from mixsafe.certify.certify_links import certify_links
from mixsafe.io.certificates.link_certificates import write_link_certificate
from mixsafe.tracklets.histories import decide
from mixsafe_cli.app import app
from tests.support.link_oracle import problem_of


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def written(path, must_continue=(), same=(), forged=None):
    links = [(0, 2), (1, 2)]
    problem = problem_of([(0, 1), (0, 1), (5, 6)], links, list(must_continue), same=list(same))
    certificate = certify_links(problem, decide(problem))
    if forged is not None:
        certificate.bounds.possible[:] = certificate.bounds.proven[:] = forged
    write_link_certificate(path, certificate)
    return path


@pytest.mark.parametrize(
    ("given", "status", "told"),
    [
        ({"must_continue": [0]}, 0, "5 links, ends and beginnings, shown by cycles"),
        ({"must_continue": [0, 1]}, 0, "No history covers what must be covered: shown"),
        ({"same": [(0, 1)]}, 3, "No history covers what must be covered: claimed"),
        ({"same": [(0, 2)]}, 3, "5, claimed, not shown"),
    ],
)
def test_what_is_shown_and_claimed_is_told(tmp_path, given, status, told):
    found = run("check", written(tmp_path / "links.npz", **given))
    assert (found.exit_code, told in found.stdout) == (status, True), found.output


def test_numbers_are_in_json(tmp_path):
    found = json.loads(run("check", written(tmp_path / "links.npz"), "--json", "-").stdout)
    assert (found["possible_shown"], found["excluded_shown"]) == (2 + 3 + 3, 0)


def test_a_forged_claim_is_refused_in_one_line(tmp_path):
    path = written(tmp_path / "links.npz", must_continue=[0], forged=np.array([True, True]))
    found = run("check", path)
    assert found.exit_code == 2
    assert "the link from tracklet 1 to 2, it is said, is in a history" in found.stderr
    assert str(path) in found.stderr.replace("\n", "")


def test_it_is_compared_with_no_data(tmp_path):
    found = run("check", written(tmp_path / "links.npz"), "--source", tmp_path / "links.npz")
    assert found.exit_code == 2
    assert "leave out --source" in found.stderr
