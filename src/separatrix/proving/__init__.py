"""Proof files: written here, checked by `verify.py` alone."""

from __future__ import annotations

from separatrix.certificates.statement import Claim, hexadecimal, hexadecimals
from separatrix.proving.any_size import prove_in_blocks
from separatrix.proving.asking import (
    fewest_mistakes_of,
    mistakes_of,
    prove_likelihood_intervals,
    prove_separability,
    prove_verdict,
)
from separatrix.proving.files import (
    Claimed,
    Proof,
    files_of,
    names_beside,
    prove,
    refuse_another_table,
    with_asked,
    write,
)
from separatrix.proving.plain import PlainTable
