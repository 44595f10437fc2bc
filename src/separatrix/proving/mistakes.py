"""The claim of the fewest mistakes: a line, and why no line makes fewer, in a compressed member."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable

from separatrix._types import Untyped
from separatrix.certificates.statement import Claim, hexadecimal, hexadecimals
from separatrix.data import Floats
from separatrix.zero_one.limits import INTERRUPTED
from separatrix.zero_one.minimum_errors import CERTIFIED, ErrorBracket

LARGEST_PLAIN = 2**63  # integers from here on are written in hexadecimal, which any length reads


def mistakes_of(weights: Floats) -> list[Claim]:
    """Return the claim that recounts the mistakes of a line (1+d,); none for no line at all."""
    if not weights.any():
        return []
    return [{"kind": "mistakes", "weights": [float(w) for w in weights]}]


def fewest_mistakes_of(
    bracket: ErrorBracket, tell: Callable[[str], None] = lambda _: None
) -> Claim:
    begun = f"{INTERRUPTED}: " if bracket.interrupted else ""
    looked = f"{{:,}} boxes; the search looked at {bracket.nodes:,}"
    proven = bracket.certified(lambda n: tell(f"{begun}writing the proof ({looked.format(n)})"))
    tell(f"{begun}writing the proof")
    line = bracket.exact_line
    text = json.dumps(_plain(proven.proof), separators=(",", ":")).encode()
    return {
        "kind": "fewest mistakes",
        "weights": [float(w) for w in proven.weights] if line is None else hexadecimals(line),
        "cost_wrong_yes": float(proven.cost_wrong_yes),
        "cost_wrong_no": float(proven.cost_wrong_no),
        "unit": hexadecimal(proven.unit),
        "proof": base64.b64encode(zlib.compress(text, 9)).decode("ascii"),
    }


def contradictions_of(bracket: ErrorBracket) -> tuple[list[Claim], list[str]]:
    """Return the claims of both bounds that tiles of rows show, and what they leave out."""
    proven, left_out = bracket.contradictions, []
    if proven.lower < bracket.exact_lower:
        left_out.append(
            f"mistakes at least: {float(bracket.exact_lower):.10g} were shown, more than by "
            f"the rows named here, of which there are {CERTIFIED // bracket.weights.size:,} at most"
        )
    return proven.claims if proven.cores else proven.claims[:1], left_out


def _plain(item: Untyped) -> Untyped:
    if isinstance(item, list | tuple):
        return [_plain(a) for a in item]
    return int(item) if abs(item) < LARGEST_PLAIN else hexadecimal(int(item))
