"""The one mutator of proofs and their tables; it uses `verify` alone of the package."""

import base64
import copy
import hashlib
import json
import math
import random
import zlib
from collections.abc import Callable, Iterable
from fractions import Fraction

from separatrix import verify

ANY = [None, True, -2, -1, 0, 1, 2, 3, 2**53, 10**400, 0.5, 2.5, 5e-324, 1e308, -1.7e308, "", "1",
       "2", "-5/2", "1/3", "y", "n", "nan", "\0", [], {}, [0], [1, 0], [[1, 0]]]  # fmt: skip
VALUES = {  # of members that say what a table is, or what of it is claimed
    "format": ["csv", "npy", "csr", "separatrix proof", ""],
    "index": [0, 1, 2, 3, 1.0, -1],
    "levels": [["+", "-"], ["-", "+"], ["+"], ["0", "1"], ["+", "-", "?"], []],
    "classes": [[*"abc"], [*"bac"], [*"ab"], [*"abb"], [*"abcd"], [*"yn"], [*"nY"], [*"10"]],
    "weight": [None, 0, 1, 2], "names": [["x"], ["y", "z"], []],
    "intercept": [True, False], "errors": ["logistic", "least squares"], "C": [None, 1, 4, 0, -1],
    "columns": [[0], [0, 1], [1, 0], [0, 1, 2], [1], [{"index": 0, "levels": ["+", "-"]}]],
    "side": [1, -1], "direction": [1, -1, 0],
    "q": [2.705543454095404, 6.6349], "left_out": [[], [1], [2], [1, 2]],
}  # fmt: skip


def corrupted(data: bytes, proof: dict, draw: random.Random) -> tuple[bytes, bytes]:
    """A table and the text of a proof, one of them changed."""
    chance = draw.random()
    if chance < 0.25 or (chance < 0.3 and not isinstance(data, bytes)):
        return data, scratched(json.dumps(proof).encode(), draw)
    if chance < 0.3:
        data = other_table(data, draw)
        told = {**proof["table"], "files": [{"sha256": hashlib.sha256(data).hexdigest()}]}
        return data, json.dumps({**proof, "table": told}).encode()
    changed = unpacked(json.loads(json.dumps(proof)))
    for _ in range(draw.choice((1, 1, 2, 3))):
        claims = changed.get("claims") or changed.get("questions")
        in_claims = draw.random() < 0.7 and claims and isinstance(claims, list | dict)
        change(claims if in_claims else changed, draw)
    return data, json.dumps(packed(changed)).encode()


def scratched(text: bytes, draw: random.Random) -> bytes:
    """A digit, a sign, a byte or a part of the text changed or lost."""
    i, j = sorted(draw.sample(range(len(text)), 2))
    kind = draw.randrange(5)
    if kind == 0:
        i = draw.choice([i for i, c in enumerate(text) if chr(c).isdigit()])
        return text[:i] + str(draw.randrange(10)).encode() + text[i + 1 :]
    if kind == 1:
        return text[:i] + draw.choice([b"-", b"+", b"0", b"1", b"e", b"/"]) + text[i:]
    if kind == 2:
        return text[:i]
    if kind == 3:
        return text[:i] + bytes([draw.randrange(256)]) + text[i + 1 :]
    return text[:i] + text[j:]


def other_table(data: bytes, draw: random.Random) -> bytes:
    """A cell taken from another row, a row lost to a copy of another, or two rows exchanged."""
    header, *lines = data.splitlines()
    i, j = draw.randrange(len(lines)), draw.randrange(len(lines))
    kind = draw.randrange(3)
    if kind == 0:
        cells, others = lines[i].split(b","), lines[j].split(b",")
        c = draw.randrange(min(len(cells), len(others)))
        cells[c] = others[c]
        lines[i] = b",".join(cells)
    elif kind == 1:
        lines[i], lines[j] = lines[j], lines[i]
    else:
        lines[i] = lines[j]
    return b"\n".join([header, *lines]) + b"\n"


def change(part, draw: random.Random) -> None:
    """One place lost, exchanged with another, doubled, moved a little or far, or replaced."""
    box, key = somewhere(part, draw)
    value, kind = box[key], draw.randrange(9)
    if kind == 0:
        if isinstance(box, list) and draw.random() < 0.2:
            del box[key:]
        else:
            del box[key]
    elif kind <= 2:  # with any other place, or with one of the same name
        others = [somewhere(part, draw) for _ in range(1 if kind == 1 else 30)]
        other, name = next((o for o in others if o[1] == key and o[0] is not box), others[0])
        box[key], other[name] = copy.deepcopy(other[name]), copy.deepcopy(value)
    elif kind == 3 and isinstance(box, list):
        box.insert(draw.randrange(len(box) + 1), copy.deepcopy(draw.choice(box)))
    elif kind == 3 and draw.random() < 0.3:
        box["surprise"] = copy.deepcopy(value)
    elif kind <= 6 and (near := moved(value, draw)) is not None:
        box[key] = near
    else:
        box[key] = copy.deepcopy(draw.choice(VALUES.get(key, ANY)))


def somewhere(part, draw: random.Random):
    """A place inside, by steps down, so that long lists have no more than their share."""
    while True:
        key = draw.choice(range(len(part)) if isinstance(part, list) else list(part))
        inner = part[key]
        if not (isinstance(inner, list | dict) and inner) or draw.random() < 0.15:
            return part, key
        part = inner


def moved(value, draw: random.Random):
    """A number that is another one, in the form that it had; None of what is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, int):
        return draw.choice([value - 1, value + 1, value + 1, -value, value + 64, str(value)])
    if isinstance(value, float):
        by = draw.choice((-1, 1))
        return draw.choice([
            math.nextafter(value, by * math.inf), value * (1.0 + by * 10.0 ** draw.uniform(-16, 0)),
            value + by * 10.0 ** draw.uniform(-14, 1), -value, value * 2.0 ** draw.randrange(-5, 6),
        ])  # fmt: skip
    try:
        new = draw.choice([-1, 1]) * number(value) + draw.choice([-2, -1, 0, 1, 7])
    except (ValueError, ZeroDivisionError):
        return None
    return f"{new.numerator:x}" + (f"/{new.denominator:x}" if new.denominator > 1 else "")


def walk(data):
    keys = range(len(data)) if isinstance(data, list) else list(data)
    for key in keys:
        yield data, key
        if isinstance(data[key], list | dict):
            yield from walk(data[key])


def unpacked(proof):
    """The proof with its compressed members as what they hold."""
    for box, key in list(walk(proof)):
        if key == "proof":
            box[key] = json.loads(zlib.decompress(base64.b64decode(box[key])))
    return proof


def packed(proof):
    for box, key in list(walk(proof)):
        if key == "proof":
            text = zlib.compress(json.dumps(box[key]).encode())
            box[key] = base64.b64encode(text).decode()
    return proof


def number(value) -> Fraction:
    if isinstance(value, str):
        above, _, below = value.partition("/")
        return Fraction(int(above, 16), int(below or "1", 16))
    return Fraction(value)


Corrupted = tuple[bytes, bytes | None, bytes]  # a table, its proof before (or None), and after


def answers_to(tried: Iterable[Corrupted], holds: Callable[..., None]) -> dict[str, int]:
    """Check corrupted proofs; `holds` asserts that what is verified is true. Count the answers."""
    answers = {"same": 0, "another truth": 0, "refuted": 0, "cannot": 0}
    said: dict[tuple[bytes, bytes], list[str]] = {}
    for data, original, text in tried:
        try:
            now = verify.statements(text, data)
        except verify.Refuted:
            answers["refuted"] += 1
        except verify.CannotCheck:
            answers["cannot"] += 1
        else:
            if original is not None and (data, original) not in said:
                said[data, original] = verify.statements(original, data)
            same = original is not None and now == said[data, original]
            answers["same" if same else "another truth"] += 1
            holds(data, text, now)
    return answers
