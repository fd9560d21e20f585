"""Certificates, from a file or from memory, replayed by the checker."""

from __future__ import annotations

import os

from mixsafe.check.checker import Checked
from mixsafe.check.checker import check as replay
from mixsafe.errors import InputError
from mixsafe.io.certificates.certificate_reader import read_certificates
from mixsafe.model.answer.certificate import Certificate


def check(certificate: Certificate | str | os.PathLike[str]) -> Checked:
    """Replay a certificate, witness by witness; no engine takes part.

    Parameters
    ----------
    certificate
        What ``certify`` returned; or the folder that it was written to. Of a folder with several
        certificates :func:`mixsafe.io.certificates.certificate_reader.read_certificates` gives
        each.

    Raises
    ------
    InputError
        The file was changed or damaged or holds not one certificate, or a claim does not follow
        from its witnesses.

    Examples
    --------
    >>> import mixsafe
    >>> problem = mixsafe.pose(mixsafe.load(mixsafe.sample("town")))
    >>> answer = mixsafe.verify(problem, k=3, keep_proof_data=True)
    >>> mixsafe.check(mixsafe.certify(answer)).verdict
    <Verdict.UNSAFE: 'unsafe'>
    """
    if isinstance(certificate, Certificate):
        return replay(certificate)
    read = read_certificates(certificate)
    if len(read) != 1:
        raise InputError(
            f"there are {len(read)} certificates in it", file=certificate, hint="check each"
        )
    return replay(read[0])
