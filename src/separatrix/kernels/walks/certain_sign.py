"""Whether a row is a mistake: by its float score, unless that is in doubt.

A score is compared with a bound on the rounding error that any score of any row can have
(`rows.certain_bound`, from a bound on |v|^2 that grows with the updates); only a score inside that
band is decided again, exactly.
"""

from separatrix.kernels._jit import part
from separatrix.kernels.error_bound import UNDERFLOWN, UNIT_ROUNDOFF
from separatrix.kernels.exact import signed_excess, signed_score
from separatrix.kernels.rows import Floats, Rows, score


@part
def is_mistake(
    rows: Rows, i: int, y: float, v: Floats, x0: float, tie: float, margin: float, certain: float
) -> bool:
    """Whether sign(v.x_i) != y, or y v.x_i <= margin: by floats, unless that is in doubt."""
    slack = certain + 4.0 * UNIT_ROUNDOFF * margin
    a = y * score(rows, i, v, x0)
    if a > margin + slack:
        return False
    return a < margin - slack or is_exact_mistake(rows, i, y, v, x0, tie, margin)


@part
def is_exact_mistake(
    rows: Rows, i: int, y: float, v: Floats, x0: float, tie: float, margin: float
) -> bool:
    """As `is_mistake`, decided without rounding."""
    if margin > 0.0:
        return bool(signed_excess(rows, i, y, v, x0, margin) <= 0.0)
    s = signed_score(rows, i, v, x0)
    h = tie if s == 0.0 else (1.0 if s > 0.0 else -1.0)
    return h != y


@part
def grown(length_squared: float, radius_squared: float) -> float:
    """Return a bound on |v + y x|^2 after a mistake: y v.x <= 0, so at most |v|^2 + R^2.

    With a margin the caller's R^2 is R^2 + 2 margin: too large where R alone would do, never small.
    """
    return (length_squared + radius_squared) * (1.0 + 1e-14) + UNDERFLOWN
