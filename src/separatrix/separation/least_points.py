"""What floats propose, the least point of the hull of the rows: a line, or a refusal's rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from separatrix.exact.cone import Cone
from separatrix.exact.integers import Floats, Indices
from separatrix.kernels.error_bound import LEAST
from separatrix.kernels.separation.min_norm_point import least_point
from separatrix.separation.constraint_generation import NONE, NOTHING, SLACK, least_of

IN_SPAN = 1e-9  # of the length of a row, may be rounding of nothing


@dataclass(frozen=True)
class Proposal:
    """What floats found."""

    line: Floats  # (k,) weights on the cone's float rows
    rows: Indices  # (m,) rows that make up the least point


def propose(rows: Floats) -> Proposal:
    """Return the least point of the hull of rows (n, k) as a line, and the rows that make it up."""
    unit = rows / np.linalg.norm(rows, axis=1)[:, None]
    line, used, vanishes = least_of(unit, SLACK, NONE)
    largest = 0.0 if vanishes else np.abs(line).max()
    return Proposal(line / largest if largest > 0.0 else np.zeros_like(line), used)


def implicit_equalities(cone: Cone) -> Indices:
    """Return the rows on which, as far as floats see, every w with Zw >= 0 vanishes."""
    basis = np.eye(cone.k)
    left = np.arange(cone.n)
    length = np.linalg.norm(cone.floats, axis=1)
    while basis.shape[1]:
        images = cone.floats[left] @ basis
        size = np.linalg.norm(images, axis=1)
        outside = size > IN_SPAN * length[left]
        left, images = left[outside], images[outside] / size[outside, None]
        if left.size == 0:
            break
        proposal = propose(images)
        if (images @ proposal.line > 0.0).all():
            return np.setdiff1d(np.arange(cone.n), left)
        if proposal.rows.size == 0:  # floats know neither a line nor a refusal
            return np.zeros(0, dtype=np.int64)
        _, sizes, turned = np.linalg.svd(images[proposal.rows])
        rank = int((sizes > IN_SPAN * sizes[0]).sum())
        basis = basis @ turned[rank:].T
    return np.arange(cone.n)


def balancing_rows(cone: Cone, among: Indices, base: Indices) -> Indices | None:
    """Return rows whose positive combination cancels the sum of the `base` rows, at most k."""
    target = -cone.floats[base].sum(axis=0)
    size = np.linalg.norm(target)
    if not size > 0.0:
        return None
    mirror = target / size  # the reflection that takes the target to the last axis
    mirror[-1] -= 1.0
    mirror /= max(np.linalg.norm(mirror), LEAST)
    rows = cone.floats[among]
    turned = rows - np.outer(2.0 * (rows @ mirror), mirror)
    points, last = np.ascontiguousarray(turned[:, :-1]), np.ascontiguousarray(turned[:, -1])
    used, weights, rest = np.zeros(cone.k + 1, np.int64), np.ones(cone.k + 1), np.zeros(cone.k)
    p = least_point(points, last, 1.0, 0.0, used, weights, 0, rest)
    if p == 0 or (p < cone.k and np.abs(rest).max() > NOTHING):
        return None
    chosen: Indices = among[used[:p][weights[:p] > IN_SPAN * weights[:p].max()]]
    return chosen


def spanning_rows(cone: Cone, among: Indices) -> Indices:
    """Return some of the rows that span, as far as floats see, what all of them span."""
    step = max(1, among.size // (4 * cone.k))
    chosen = among[::step]
    while True:
        _, sizes, turned = np.linalg.svd(cone.floats[chosen])
        rank = int((sizes > IN_SPAN * sizes[0]).sum())
        outside = np.linalg.norm(cone.floats[among] @ turned[rank:].T, axis=1)
        new = np.setdiff1d(among[np.argsort(-outside, kind="stable")[: cone.k]], chosen)
        new = new[np.isin(new, among[outside > IN_SPAN])]
        if rank == cone.k or new.size == 0:
            return np.sort(chosen)
        chosen = np.append(chosen, new)
