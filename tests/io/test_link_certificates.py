"""Files of certificates of links: what was written is read, what was changed is refused."""

from __future__ import annotations

import zipfile
from dataclasses import fields, replace

import numpy as np
import pytest

from mixsafe.certify.certify_links import certify_links
from mixsafe.check.link_check import check_links
from mixsafe.errors import InputError
from mixsafe.io.certificates.link_certificates import (
    is_link_certificate,
    read_link_certificate,
    write_link_certificate,
)
from mixsafe.tracklets.histories import decide
from tests.support.link_oracle import problem_of


def certificate_of(must_continue):
    problem = problem_of([(0, 1), (0, 1), (5, 6)], [(0, 2), (1, 2)], must_continue)
    return certify_links(problem, decide(problem))


@pytest.mark.parametrize("must_continue", [[], [0], [0, 1]])
def test_what_is_written_is_read(tmp_path, must_continue):
    certificate = certificate_of(must_continue)
    path = tmp_path / "links.npz"
    write_link_certificate(path, certificate)
    assert is_link_certificate(path)
    found = read_link_certificate(path)
    assert check_links(found) == check_links(certificate)
    for field in fields(certificate.problem):
        one, other = getattr(found.problem, field.name), getattr(certificate.problem, field.name)
        assert np.array_equal(one, other)


def test_parts_of_seconds_stay(tmp_path):
    """Protects certificates of messages: pseudonyms that change within a second."""
    problem = problem_of([(0, 1), (2, 3), (5, 6)], [(0, 1), (1, 2)])
    problem = replace(problem, first=problem.first / 10, last=problem.last / 10)
    path = tmp_path / "links.npz"
    write_link_certificate(path, certify_links(problem, decide(problem)))
    found = read_link_certificate(path).problem
    assert found.first.tolist() == [0, 0.2, 0.5]
    assert found.last.tolist() == [0.1, 0.3, 0.6]
    broken = replace(problem, last=np.array([0.1, np.inf, 0.6]), ptr=np.zeros(4, np.int64),
                     to=problem.to[:0])  # fmt: skip
    write_link_certificate(path, certify_links(broken, decide(broken)))
    with pytest.raises(InputError, match="its arrays do not fit"):
        read_link_certificate(path)


def test_other_files_are_no_certificates(tmp_path):
    path = tmp_path / "links.npz"
    for write in (lambda: path.write_text("text"), lambda: np.savez(path, one=np.ones(3))):
        write()
        assert not is_link_certificate(path)
        with pytest.raises(InputError, match="not a certificate of links"):
            read_link_certificate(path)
    assert not is_link_certificate(tmp_path)


def rewritten(path, **arrays):
    with np.load(path) as found:
        np.savez(path, **{**found, **arrays})


def test_a_changed_file_is_refused(tmp_path):
    path = tmp_path / "links.npz"
    write_link_certificate(path, certificate_of([0]))
    rewritten(path, proven=np.zeros(2, bool))
    with pytest.raises(InputError, match="does not match its hash"):
        read_link_certificate(path)


def test_another_format_is_refused(tmp_path):
    path = tmp_path / "links.npz"
    write_link_certificate(path, certificate_of([0]))
    text = b'{"format": "mixsafe link certificate 0", "sha256": "", "name": ""}'
    rewritten(path, about=np.frombuffer(text, np.uint8))
    with pytest.raises(InputError, match="the format is not"):
        read_link_certificate(path)


def test_a_truncated_file_is_refused(tmp_path):
    path = tmp_path / "links.npz"
    write_link_certificate(path, certificate_of([0]))
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InputError, match="not a certificate of links"):
        read_link_certificate(path)
    assert not zipfile.is_zipfile(path)
