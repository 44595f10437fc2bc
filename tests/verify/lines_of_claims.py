"""A table and a claim about it, as the verifier prints them."""

import hashlib

from separatrix.verify import CannotCheck, Refuted
from tests.verify.by_hand import proof_of, said


def claimed(text, weights=(0, 1), kind="separable", *, dialect=None, encoding="utf-8", **table):
    """What is said of a table of one column x, or of why nothing is said."""
    data = text if isinstance(text, bytes) else text.encode(encoding)
    column = {"index": 0, "levels": None, "fill": None, "missing": ["", "?"]}
    label = {"index": 1, "yes": ["yes"], "no": ["no"], "unlabelled": []}
    label |= table.pop("label", {})
    columns = [column | table.pop("column", {})]
    proof = proof_of(b"x,answer\n", [{"kind": kind, "weights": list(weights)}])
    proof["table"] |= {"columns": columns, "label": label, **table}
    proof["table"]["dialect"] |= {"encoding": encoding, **(dialect or {})}
    proof["table"]["sha256"] = hashlib.sha256(data).hexdigest()
    try:
        return said(data, proof)
    except (CannotCheck, Refuted) as why:
        return f"{type(why).__name__}: {why}"
