"""What is known of a stream: a line while it runs, a first screen at the end, JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from separatrix._types import Untyped
from separatrix._version import __version__
from separatrix.report.screen import MOST_NAMES, Line
from separatrix.report.wording import bound_in_words, plain
from separatrix.report.words import Words
from separatrix.streaming import StreamVerdict
from separatrix.tables.incremental import IncrementalCsv
from separatrix.tables.wording import counted

FORMAT = "separatrix stream verdict"
FORMAT_VERSION = 1


@dataclass(frozen=True)
class StreamReport:
    """What a stream of CSV rows has shown.

    Parameters
    ----------
    rows : what was read
    n_yes : rows with the label yes
    last_line : of the rows that were used
    verdict : what is known
    learner : after the last row
    interrupted : whether the stream was left before its end
    """

    rows: IncrementalCsv
    n_yes: int
    last_line: int
    verdict: StreamVerdict
    learner: Untyped
    interrupted: bool

    @property
    def is_open(self) -> bool:
        """Whether it is not known if, or with which row, the rows ceased to be separable."""
        verdict = self.verdict
        return verdict.separable is None or (not verdict.separable and verdict.ceased_at is None)

    @property
    def ceased_on(self) -> int | None:
        """The line with which the rows ceased to be separable, where it is known."""
        contradiction = self.verdict.contradiction
        known = self.verdict.ceased_at is not None and contradiction is not None
        return max(contradiction.rows) if known and contradiction is not None else None


def running(verdict: StreamVerdict) -> str:
    """Return what is known of the rows so far, in one line of English."""
    if verdict.separable is None:
        said = f"separable up to row {verdict.proven:,}, then not known"
    elif verdict.contradiction is not None:
        said = f"not separable (proven) by line {max(verdict.contradiction.rows):,}"
    else:
        said = "separable so far (proven)"
    risk = f"risk <= {100.0 * verdict.risk_bound:.2f} %"
    return f"{counted(verdict.n, 'row')}, {counted(verdict.mistakes, 'mistake')}, {said}, {risk}"


def noted(verdict: StreamVerdict) -> str:
    """Return the same with the bound on the mistakes, where there is one."""
    if verdict.mistake_bound is None:
        return running(verdict)
    return f"{running(verdict)}, mistakes at most {bound_in_words(verdict.mistake_bound)}"


def stream_screen(report: StreamReport, words: Words) -> list[Line]:
    """Return the parts of the first screen of a stream, in the reader's order."""
    parts = [
        Line.of("table", _table(report, words)),
        Line.of("separable", *_separable(report, words)),
        Line("model", (_model(report, words),)),
        Line("mistakes", _mistakes(report, words)),
    ]
    if report.interrupted:
        last = f"{report.last_line:,}"
        parts.append(Line.of("warnings", words("stream_interrupted", line=last)))
    return parts


def _table(report: StreamReport, words: Words) -> str:
    rows, n = report.rows, report.verdict.n
    _, yes = rows.labels.both
    is_word = any(map(str.isalpha, yes))
    labels = words(
        "share_yes" if is_word else "share_number",
        label=plain(rows.labels.column, 24),
        yes=plain(yes, 24),
        share=f"{100.0 * report.n_yes / n:.0f}",
    )
    said = {"name": plain(rows.name, 40), "labels": labels}
    said["columns"] = words.count(len(rows.features), "column")
    if not rows.n_dropped:
        return words("all_rows", rows=words.count(n, "row"), **said)
    more = {"used": f"{n:,}", "all": f"{n + rows.n_dropped:,}", "dropped": f"{rows.n_dropped:,}"}
    return words("some_rows", **more, **said)


def _separable(report: StreamReport, words: Words) -> list[str]:
    verdict = report.verdict
    right = words.count(verdict.proven, "row")
    if verdict.separable is None:
        return [words("stream_open", right=right)]
    if verdict.separable or verdict.contradiction is None or verdict.refused is None:
        return [words("stream_separable", rows=words.count(verdict.n, "row"))]
    lines = sorted(verdict.contradiction.rows)
    ceased = report.ceased_on
    if ceased is None:
        wrong, items = words.count(verdict.refused, "row"), _listed(lines, words)
        return [words("stream_between", right=right, wrong=wrong, items=items)]
    others, line = lines[:-1], f"{ceased:,}"
    if not others:
        return [words("stream_alone", line=line, before=right)]
    count, items = words.count(len(others), "row"), _listed(others, words)
    return [words("stream_ceased", line=line, others=count, items=items, before=right)]


def _listed(lines: list[int], words: Words) -> str:
    shown = words("comma").join(f"{line:,}" for line in lines[:MOST_NAMES])
    more = len(lines) - MOST_NAMES
    return words("and_more", items=shown, n=more) if more > 0 else shown


def _model(report: StreamReport, words: Words) -> str:
    verdict = report.verdict
    return words(
        "stream_model",
        name=type(report.learner).__name__,
        t=f"{report.learner.n_updates_:,}",
        risk=f"{100.0 * verdict.risk_bound:.2f}",
        level=f"{100.0 * (1.0 - verdict.delta):g}",
    )


def _mistakes(report: StreamReport, words: Words) -> tuple[str, ...]:
    verdict = report.verdict
    here = words("here", n=f"{verdict.mistakes:,}", all=f"{verdict.n:,}")
    said = words("stream_mistakes", here=here)
    if verdict.mistake_bound is None:
        return (said,)
    return said, words("stream_bound", bound=bound_in_words(verdict.mistake_bound))


def stream_json(report: StreamReport) -> str:
    """Return all that is known as one JSON object, ending in a newline."""
    return json.dumps(stream_data(report), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def stream_data(report: StreamReport) -> dict[str, Any]:
    """Return it as JSON-able data; rows are counted from 1, lines are those of the text."""
    rows, verdict, learner = report.rows, report.verdict, report.learner
    no, yes = rows.labels.both
    contradiction = None
    if verdict.contradiction is not None:
        contradiction = [
            {"line": line, "multiplier": str(a), "signed_row": signed.tolist()}
            for line, a, signed in zip(
                verdict.contradiction.rows,
                verdict.contradiction.multipliers,
                verdict.contradiction.signed,
                strict=True,
            )
        ]
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "separatrix": __version__,
        "table": {
            "name": rows.name,
            "sha256": rows.sha256,
            "rows": verdict.n,
            "rows_dropped": rows.n_dropped,
            "last_line": report.last_line,
            "label": rows.labels.column,
            "yes": yes,
            "no": no,
            "rows_yes": report.n_yes,
            "columns": list(rows.features),
            "dialect": asdict(rows.head.dialect),
        },
        "interrupted": report.interrupted,
        "learner": {
            "name": type(learner).__name__,
            "updates": learner.n_updates_,
            "weights": [float(w) for w in (learner.intercept_[0], *learner.coef_[0])],
        },
        "mistakes": verdict.mistakes,
        "risk_bound": {"bound": verdict.risk_bound, "delta": verdict.delta},
        "separability": {
            "separable": verdict.separable,
            "first_rows_separable": verdict.proven,
            "first_rows_not_separable": verdict.refused,
            "ceased_at_line": report.ceased_on,
            "contradiction": contradiction,
        },
        "radius": _finite(verdict.radius),
        "margin": verdict.margin,
        "mistake_bound": verdict.mistake_bound,
    }


def _finite(number: float) -> float | None:
    return number if number < float("inf") else None
