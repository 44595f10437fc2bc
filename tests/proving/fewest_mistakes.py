"""Tables and their proofs of the fewest mistakes."""

import json

from separatrix import read_table
from separatrix.proving.asking import prove_separability
from separatrix.zero_one.limits import NO_LIMITS
from separatrix.zero_one.problem import EQUAL_COSTS


def csv_of(path, X, y, *more):
    names = [f"x{j}" for j in range(X.shape[1])]
    lines = [",".join([*names, "label", *(f"w{k}" for k in range(len(more)))])]
    for x, answer, *others in zip(X.tolist(), y, *more, strict=True):
        lines.append(",".join([*map(repr, x), "ny"[int(answer > 0)], *map(str, others)]))
    path.write_text("\n".join(lines) + "\n")
    return path


def proof_of(path, limits=NO_LIMITS, costs=EQUAL_COSTS, **options):
    table = read_table(path, **{"label": "label", **options})
    return prove_separability(table, path.read_bytes(), 1, limits, costs)


def claim_in(proof) -> dict:
    return next(c for c in json.loads(proof.text)["claims"] if c["kind"] == "fewest mistakes")
