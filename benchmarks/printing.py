"""The run as one aligned table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from benchmarks.answer import CheckedProof
from benchmarks.machine import ABSENT
from benchmarks.measuring import Entry, Measurement, Spread
from benchmarks.starting import FirstCall, FirstFit, StartUp
from benchmarks.threads import Doubled

HEADER = (
    "task",
    "who",
    "median",
    "min",
    "whole fit",
    "/ ours  (min..max)",
    "/ read",
    "E_in",
    "objective",
    "proof",
    "proving",
    "verifying",
    "answer",
    "work",
)
LEFT = {0, 1, 12, 13}  # columns of words


def seconds(value: float) -> str:
    """Return seconds with three digits and a unit."""
    for unit, size in (("s ", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if abs(value) >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def ratio(spread: Spread) -> str:
    """Return the median and, in brackets, the least and largest."""
    return f"{spread.median:.2f} ({spread.min:.2f}..{spread.max:.2f})"


def as_attributes(data: Any) -> Any:  # noqa: ANN401
    """Return plain data with the keys of each dict as attributes, as before it was written."""
    return json.loads(json.dumps(data), object_hook=lambda found: SimpleNamespace(**found))


def measurement_rows(measurement: Measurement) -> list[tuple[str, ...]]:
    """Return a row for each participant, and one for the best of the peers that are right."""
    rows = [_row(measurement.task, entry) for entry in measurement.entries]
    blank = ("",) * 10
    rows += [("", who.who, *blank, who.why, "") for who in measurement.left_out]
    best = measurement.best_to_ours
    told = "no peer is right" if best is None else ratio(best)
    rows.append(("", "best right peer", *blank[:3], told, *blank[:6], measurement.best or "", ""))
    return rows


def _row(task: str, entry: Entry) -> tuple[str, ...]:
    judged = entry.judgement
    answer = "" if judged is None else judged.text
    if entry.role == "peer" and entry.same_line:
        answer += ", our line"
    return (
        task if entry.role == "ours" else "",
        entry.who,
        seconds(entry.seconds.median),
        seconds(entry.seconds.min),
        "" if entry.whole_seconds is None else seconds(entry.whole_seconds.median),
        ratio(entry.to_ours) if entry.role in ("peer", "beside") else "",
        f"{entry.to_floor.median:.3g}" if entry.role != "null" else "",
        _number(judged.e_in if judged else None),
        _number(judged.objective if judged else None),
        *_proof(judged.proof if judged else None),
        answer,
        entry.work,
    )


def _proof(proof: CheckedProof | None) -> tuple[str, str, str]:
    """Return the size of a proof file, and the seconds of writing it and of checking it."""
    if proof is None:
        return ("", "", "")
    return (f"{proof.kilobytes:.3g} kB", seconds(proof.proving), seconds(proof.seconds))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"


def aligned(rows: Sequence[Sequence[str]], left: set[int]) -> str:
    """Return rows as lines with columns under each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if j in left else cell.rjust(width)
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def starting_table(
    ups: Sequence[StartUp], calls: Sequence[FirstCall], fits: Sequence[FirstFit]
) -> str:
    """Return start-up and compile times, which no row of the main table contains."""
    rows = [("start-up of a fresh process", "median", "min")]
    rows += [(u.imports, seconds(u.seconds.median), seconds(u.seconds.min)) for u in ups]
    first = [("first call in a process", "nothing cached", "compiled before", "second call")]
    first += [(c.what, seconds(c.cold), seconds(c.cached), seconds(c.second)) for c in calls]
    fresh = [("a fresh process that fits once", "median", "min")]
    fresh += [(f.what, seconds(f.seconds.median), seconds(f.seconds.min)) for f in fits]
    return "\n\n".join(aligned(table, {0}) for table in (rows, first, fresh))


def digits_table(digits: Mapping[str, Mapping[str, float]]) -> str:
    """Return the correct digits of everybody on NIST's tables."""
    if not digits:
        return "correct digits on NIST's tables: not measured, the tables are not on this machine"
    header = ("correct digits, worst coefficient", *digits)
    names = next(iter(digits.values()))
    rows = [(who, *(f"{found[who]:.1f}" for found in digits.values())) for who in names]
    return aligned([header, *rows], {0})


def proofs_table(found: Mapping[str, Mapping[str, float]]) -> str:
    """Return how large proofs are and how long it takes to check them."""
    rows = [("proof, checked by verify.py alone", "size", "proving", "verifying")]
    rows += [(name, *_proof(CheckedProof(**of))) for name, of in found.items()]
    return aligned(rows, {0})


def seconds_table(found: Mapping[str, float]) -> str:
    """Return how long exact tests take."""
    rows = [("exact tests", "seconds")]
    rows += [(name, f"{seconds:.3g}") for name, seconds in found.items()]
    return aligned(rows, {0})


def brackets_table(found: Mapping[str, Mapping[str, float]], asked: Sequence[str]) -> str:
    """Return the bounds of the tables that nobody has closed; who is not here is named."""
    rows = [("fewest mistakes after two minutes", "lower", "upper")]
    for name in asked:
        of = found.get(name)
        rows.append((name, *(f"{of[b]:g}" if of else "absent" for b in ("lower", "upper"))))
    return aligned(rows, {0})


def firth_table(found: Mapping[str, Mapping[str, Any]], asked: Sequence[str]) -> str:
    """Return the times of Firth's regression with tests and ends, what was found beside them."""
    rows = [
        ("fit, tests and ends", "ours", "firthmodels", "ratio", "objective", "its", "undecided")
    ]
    for name in asked:
        of = found.get(name)
        if of is None:
            rows.append((name, *["absent"] * 6))
            continue
        times = (seconds(of[who]["median"]) for who in ("ours", "peer"))
        values = (f"{of[what]:.6f}" for what in ("objective", "peer_objective"))
        rows.append(
            (name, *times, ratio(Spread(**of["to_ours"])), *values, str(of["peer_undecided"]))
        )
    return aligned(rows, {0})


def threads_table(found: Sequence[Doubled]) -> str:
    """Return what a second thread brings."""
    rows = [("ours in fresh processes", "one thread", "two", "one / two  (min..max)", "bytes")]
    for d in found:
        bytes_ = "the same" if d.same_bytes else "OTHERS"
        times = seconds(d.one.median), seconds(d.two.median), ratio(d.one_to_two)
        rows.append((d.task, *times, bytes_))
    return aligned(rows, {0})


def markdown(rows: Sequence[Sequence[str]], about: dict[str, Any]) -> str:
    """Return the bars as a table for a README, with date, machine and versions above it."""
    machine = about["machine"]
    present = {k: v for k, v in machine["versions"].items() if v != ABSENT}
    header, *lines = rows
    table = [header, ["---"] * len(header), *lines]
    return (
        f"Measured on {machine['date'][:10]}, size {about['size']}: {machine['cpu']}, "
        f"{machine['cores']} cores, {machine['threads']} thread, Python {machine['python']}; "
        + ", ".join(f"{name} {number}" for name, number in present.items())
        + ".\n\n"
        + "\n".join(f"| {' | '.join(cells)} |" for cells in table)
        + "\n"
    )


def heading(about: dict[str, Any]) -> str:
    """Return where, with what and when, in a few lines."""
    machine = about["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    return (
        f"{machine['date']}  seed {about['seed']}, size {about['size']}, "
        f"{about['rounds']} rounds, {machine['threads']} thread(s) {machine['thread_pools']}\n"
        f"{machine['cpu']}, {machine['cores']} cores, load {machine['load_average']:.1f} "
        f"at the start\nPython {machine['python']}, {versions}"
    )


FOOTNOTE = (
    "Per pass or step: (fit of 1 + k of them - fit of 1) / k. '/ ours' is the peer's time over "
    "ours in the same round, above 1: ours is faster.\n'/ read' is the time over one read of the "
    "matrix (a compiled sum). E_in is recounted exactly by us. Ours includes reading, checking and "
    "proof;\n'proof', 'proving' and 'verifying' are of a file that is written afterwards and "
    "checked by verify.py in a process of its own."
)
