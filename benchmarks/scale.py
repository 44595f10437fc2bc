"""Tables larger than memory: made on disk, learned from within a budget, and by peers.

Each run is a process of its own, so that its peak of memory and its processor time are its own. A
child process does one task on one set of files and prints what it found. Peers are timed in two
parts: start-up (the interpreter, imports, a scheduler's or JVM's start, and their end), and load
and fit. Kernels are compiled by a run that is not timed.

    python -m benchmarks.scale make FOLDER --rows 2e6          # X.npy, y.npy, parquet/*.parquet
    python -m benchmarks.scale tasks FOLDER --memory 1GB       # every task of ours, limit enforced
    python -m benchmarks.scale peers FOLDER --turns 3          # ours, dask-ml, Spark, Vowpal Wabbit
    python -m benchmarks.scale passes FOLDER                   # a pass beside one in memory
    python -m benchmarks.scale growth FOLDER                   # time against rows and columns

`--python` names the interpreter of the peers, where they are installed apart. `--json F` keeps a
row of each process, and goes on with F; `--before ../other/src` runs the tasks of another checkout
in turns with ours: `python -m benchmarks.compare F`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.journal import BEFORE, ROOT, Journal, run_whole, stamp, stop_as_by_ctrl_c

CHUNK = 1 << 18  # rows that are made at once
TOL = 1e-8
Found = dict[str, Any]


# ---------------------------------------------------------------------- files


def make(folder: Path, rows: int, d: int, *, margin: float, parquet: bool, seed: int = 0) -> None:
    """Write rows of d normal columns, in float32, with labels of a known line.

    Parameters
    ----------
    margin : 0 draws labels by the logistic function of the score; above, rows have the label of
        their side and are moved until they are that far from the line: separable
    """
    folder.mkdir(parents=True, exist_ok=True)
    w = np.random.default_rng([seed, d]).normal(size=d + 1)
    w[1:] *= 2.0 / np.linalg.norm(w[1:])
    w[0] *= 0.3
    X = np.lib.format.open_memmap(folder / "X.npy", "w+", np.float32, (rows, d))
    y = np.lib.format.open_memmap(folder / "y.npy", "w+", np.int8, (rows,))
    for start in range(0, rows, CHUNK):
        random = np.random.default_rng([seed, d, start])
        part = random.normal(size=(min(CHUNK, rows - start), d))
        score = part @ w[1:] + w[0]
        if margin:
            side = np.where(score > 0.0, 1.0, -1.0)
            part += np.outer(side * margin, w[1:] / np.linalg.norm(w[1:]))
            yes = side > 0.0
        else:
            yes = random.random(len(score)) < 1.0 / (1.0 + np.exp(-score))
        X[start : start + len(part)], y[start : start + len(part)] = part, yes
    X.flush()
    y.flush()
    if parquet:
        _write_parquet(folder, X, y)


def _write_parquet(folder: Path, X: Any, y: Any, parts: int = 16) -> None:  # noqa: ANN401
    import pyarrow as pa
    import pyarrow.parquet as pq

    (folder / "parquet").mkdir(exist_ok=True)
    cuts = [k * len(y) // parts for k in range(parts + 1)]
    for k in range(parts):
        a, b = cuts[k], cuts[k + 1]
        columns = {f"x{j + 1}": np.ascontiguousarray(X[a:b, j]) for j in range(X.shape[1])}
        table = pa.table({**columns, "y": np.asarray(y[a:b])})
        pq.write_table(table, folder / "parquet" / f"part-{k:02}.parquet")


# ---------------------------------------------------------------------- children: ours


def _opened(folder: Path, memory: str | None, **more: Any) -> Any:  # noqa: ANN401
    """Return the files as a table in blocks."""
    import separatrix

    if more.pop("parquet", False):
        return separatrix.open_table(
            str(folder / "parquet" / "*.parquet"), label="y", memory=memory, **more
        )
    from separatrix.scale import NpySource, Rows

    numbers = more.pop("numbers", False)
    source = NpySource([str(folder / "X.npy")], [str(folder / "y.npy")], numbers=numbers)
    return Rows(source, memory=memory, **more)


def _weights(model: Any) -> list[float]:  # noqa: ANN401
    return [float(np.ravel(model.intercept_)[0]), *np.ravel(model.coef_).tolist()]


def logistic(folder: Path, memory: str | None, **more: Any) -> Found:  # noqa: ANN401
    """Logistic regression to a relative gap of 1e-8."""
    from separatrix import LogisticRegression

    model = LogisticRegression(tol=TOL).fit(_opened(folder, memory, **more))
    return {"weights": _weights(model), "passes": int(model.n_iter_)}


def linear(folder: Path, memory: str | None, **more: Any) -> Found:  # noqa: ANN401
    """Linear regression of y as numbers."""
    from separatrix import LinearRegression

    if more.get("parquet"):
        model = LinearRegression().fit(str(folder / "parquet" / "*.parquet"), "y")
    else:
        model = LinearRegression().fit(_opened(folder, memory, numbers=True, **more))
    return {"weights": _weights(model)}


def pla(folder: Path, memory: str | None, **more: Any) -> Found:  # noqa: ANN401
    """One pass of PLA in the order of the rows."""
    from separatrix import Perceptron

    model = Perceptron(max_iter=1).fit(_opened(folder, memory, **more))
    return {"weights": _weights(model), "updates": model.n_updates_}


def averaged(folder: Path, memory: str | None, **more: Any) -> Found:  # noqa: ANN401
    """One pass of the averaged perceptron."""
    from separatrix import AveragedPerceptron

    model = AveragedPerceptron(max_iter=1).fit(_opened(folder, memory, **more))
    return {"weights": _weights(model)}


def pocket(folder: Path, memory: str | None, **more: Any) -> Found:  # noqa: ANN401
    """A pocket of 100 updates."""
    from separatrix import Pocket

    model = Pocket(max_updates=100, random_state=0).fit(_opened(folder, memory, **more))
    return {"weights": _weights(model), "mistakes": model.n_errors_}


def separability(folder: Path, memory: str | None, **more: Any) -> Found:  # noqa: ANN401
    """The verdict, with its proof."""
    from separatrix import separability as decide

    found = decide(_opened(folder, memory, **more))
    rows = [] if found.refusal is None else list(found.refusal.rows)
    return {"verdict": found.verdict, "rows of the proof": len(rows)}


OURS: dict[str, Callable[..., Found]] = {
    "linear": linear,
    "logistic": logistic,
    "pla": pla,
    "averaged": averaged,
    "pocket": pocket,
    "separability": separability,
}


# ---------------------------------------------------------------------- children: peers


def ready() -> float:
    """Return the time at which all is imported and started, and the load begins."""
    return time.perf_counter()


def fitted(began: float, weights: list[float]) -> Found:
    """Return a line, and the seconds of load and fit."""
    return {"load and fit": round(time.perf_counter() - began, 3), "weights": weights}


def import_ours() -> None:
    """Import what tasks of ours use; most of it is loaded when it is first named."""
    import separatrix

    for name in ("open_table", "LogisticRegression", "LinearRegression", "Perceptron", "Pocket"):
        getattr(separatrix, name)
    _ = separatrix.separability


def _ours(folder: Path, task: Callable[..., Found], **more: Any) -> Found:  # noqa: ANN401
    import_ours()
    began = ready()
    return fitted(began, task(folder, None, **more)["weights"])


def ours_logistic(folder: Path) -> Found:
    """Ours, two threads of this machine."""
    return _ours(folder, logistic, parquet=True)


def ours_linear(folder: Path) -> Found:
    """Likewise."""
    return _ours(folder, linear, parquet=True)


def ours_pla(folder: Path) -> Found:
    """One pass of PLA, from `.npy`."""
    return _ours(folder, pla)


def ours_averaged(folder: Path) -> Found:
    """One pass of the averaged perceptron, from `.npy`."""
    return _ours(folder, averaged)


def ours_pla_of_parquet(folder: Path) -> Found:
    """One pass of PLA, from Parquet."""
    return _ours(folder, pla, parquet=True)


def ours_averaged_of_parquet(folder: Path) -> Found:
    """One pass of the averaged perceptron, from Parquet."""
    return _ours(folder, averaged, parquet=True)


def ours_logistic_on_dask(folder: Path) -> Found:
    """Ours on a cluster of two processes."""
    from separatrix.scale.back_ends import cluster

    with cluster(workers=2) as back_end:
        return _ours(folder, logistic, parquet=True, back_end=back_end)


def dask_logistic(folder: Path) -> Found:
    """dask-ml's Newton method on a cluster of two processes."""
    return _of_dask(folder, "logistic")


def dask_linear(folder: Path) -> Found:
    """dask-ml's linear regression, likewise."""
    return _of_dask(folder, "linear")


def _of_dask(folder: Path, kind: str) -> Found:
    import dask.dataframe as dd
    from dask_ml.linear_model import LinearRegression, LogisticRegression
    from distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, Client(cluster):
        began = ready()
        frame = dd.read_parquet(str(folder / "parquet" / "*.parquet"))
        both = frame.astype("float64").to_dask_array().persist()
        both.compute_chunk_sizes()
        X, y = both[:, :-1], both[:, -1]
        if kind == "logistic":
            # no penalty: the largest C that it takes; Newton's method, the fastest of its own
            model = LogisticRegression(solver="newton", C=1e12, tol=TOL, max_iter=100)
        else:
            model = LinearRegression(solver="newton", C=1e12, tol=TOL)
        model.fit(X, y)
        return fitted(began, _weights(model))


def spark_logistic(folder: Path) -> Found:
    """MLlib's logistic regression on two threads."""
    return _of_spark(folder, "logistic")


def spark_linear(folder: Path) -> Found:
    """MLlib's linear regression, likewise."""
    return _of_spark(folder, "linear")


def _of_spark(folder: Path, kind: str) -> Found:
    from pyspark.ml.classification import LogisticRegression
    from pyspark.ml.feature import VectorAssembler
    from pyspark.ml.regression import LinearRegression
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", "6g")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    began = ready()
    frame = spark.read.parquet(str(folder / "parquet"))
    names = [name for name in frame.columns if name != "y"]
    rows = VectorAssembler(inputCols=names, outputCol="x").transform(frame).select("x", "y").cache()
    if kind == "logistic":
        learner = LogisticRegression(featuresCol="x", labelCol="y", tol=TOL, maxIter=100)
    else:
        learner = LinearRegression(featuresCol="x", labelCol="y", solver="normal")
    model = learner.fit(rows)
    found = fitted(began, [float(model.intercept), *model.coefficients.toArray().tolist()])
    spark.stop()
    return found


WABBIT = "--loss_function hinge --sgd --quiet"  # plain steps: its default takes longer
CONSTANT = 11650396  # the number of its constant feature


def wabbit_of_text(folder: Path) -> Found:
    """A pass of Vowpal Wabbit over the same rows in its text format."""
    return _of_wabbit(folder, f"-d {folder}/rows.vw {WABBIT}")


def wabbit_of_cache(folder: Path) -> Found:
    """A pass over its own binary cache of that text, which took a pass to write."""
    return _of_wabbit(folder, f"-d {folder}/rows.vw --cache_file {folder}/rows.cache {WABBIT}")


def _of_wabbit(folder: Path, asked: str) -> Found:
    from vowpalwabbit import Workspace

    d = np.load(folder / "X.npy", mmap_mode="r").shape[1]
    began = ready()
    model = Workspace(asked)
    found = fitted(began, [model.get_weight(j) for j in (CONSTANT, *range(d))])
    model.finish()
    return found


def write_for_wabbit(folder: Path) -> Found:
    """Write the rows in the text format of Vowpal Wabbit, and have it make its cache."""
    from vowpalwabbit import Workspace

    X, y = np.load(folder / "X.npy", mmap_mode="r"), np.load(folder / "y.npy", mmap_mode="r")
    form = "%d | " + " ".join(f"{j}:%.9g" for j in range(X.shape[1])) + "\n"  # float32 in full
    with (folder / "rows.vw").open("w", encoding="ascii") as file:
        for start in range(0, len(y), CHUNK):
            signs = np.where(y[start : start + CHUNK] > 0, 1, -1).tolist()
            rows = X[start : start + CHUNK].tolist()
            file.writelines(form % (s, *row) for s, row in zip(signs, rows, strict=True))
    Workspace(f"-d {folder}/rows.vw --cache_file {folder}/rows.cache -k {WABBIT}").finish()
    return {}


PEERS: dict[str, dict[str, Callable[[Path], Found]]] = {
    "logistic": {
        "separatrix": ours_logistic,
        "separatrix on Dask": ours_logistic_on_dask,
        "dask-ml": dask_logistic,
        "Spark MLlib": spark_logistic,
    },
    "linear": {
        "separatrix": ours_linear,
        "dask-ml": dask_linear,
        "Spark MLlib": spark_linear,
    },
    "pla": {
        "separatrix": ours_pla,
        "separatrix, averaged": ours_averaged,
        "separatrix, Parquet": ours_pla_of_parquet,
        "separatrix, averaged, Parquet": ours_averaged_of_parquet,
        "Vowpal Wabbit, text": wabbit_of_text,
        "Vowpal Wabbit, cache": wabbit_of_cache,
    },
    "files": {"Vowpal Wabbit": write_for_wabbit},
}
COMPARED = ["logistic", "linear", "pla"]


# ---------------------------------------------------------------------- runs


def child(  # noqa: PLR0917
    folder: Path,
    task: str,
    who: str,
    memory: str | None,
    limit: int | None,
    python: str | None = None,
    source: Path | None = None,
) -> Found:
    """Run one task in a process of its own; return a row: what it found, its seconds, its peak.

    Parameters
    ----------
    limit : bytes that the process may have of its own (RLIMIT_DATA); None for any
    python : the interpreter; None for this one
    source : modules of another checkout; None for those of this one
    """
    command = [python or sys.executable, "-m", "benchmarks.scale", "child"]
    command += [str(folder.resolve()), task, who]
    command += ["--memory", memory] if memory else []
    command += ["--limit", str(limit)] if limit else []
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    settings = os.environ | ({} if source is None else {"PYTHONPATH": str(source)})
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    checkout = ROOT if source is None else source.parent  # whose own benchmarks know its names
    done = run_whole(command, cwd=checkout, env=settings, **pipes)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    line = f"{folder.name}: {task}, {who}{BEFORE if source else ''}"
    if done.returncode:
        return {"line": line, "failed": (done.stderr.strip().splitlines() or ["?"])[-1][:200]}
    found: Found = json.loads(done.stdout.strip().splitlines()[-1])
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found |= {"line": line, "process": round(wall, 2), "cpu": round(cpu, 2)}
    figures = {name: found[name] for name in ("process", "cpu", "peak MiB")}
    if who.startswith(("ours", "separatrix")):
        found["digest"] = found.get("weights") or found.get("verdict")
    return {**found, "figures": figures}


def run_child(folder: Path, task: str, who: str, memory: str | None, limit: int | None) -> None:
    """Do one task here and print what it found as a line of JSON."""
    if limit:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    if who == "ours":
        import_ours()
    began, worked = time.perf_counter(), time.process_time()
    found = OURS[task](folder, memory) if who == "ours" else PEERS[task][who](folder)
    times = {
        "seconds": round(time.perf_counter() - began, 2),
        "busy": round(time.process_time() - worked, 3),
    }
    lines = Path("/proc/self/status").read_text().splitlines()
    sizes = {line.split(":")[0]: int(line.split()[1]) // 1024 for line in lines if " kB" in line}
    peak = {"peak MiB": sizes["VmHWM"], "own MiB": sizes["RssAnon"]}
    print(json.dumps({**times, **peak, **found}))


def tasks(folder: Path, names: list[str], asked: argparse.Namespace, journal: Journal) -> None:
    """Run ours within a budget that the system enforces, and print a line for each."""
    from separatrix.scale import memory_in_bytes

    memory = asked.memory or "1GB"
    sources = [None] if asked.before is None else [asked.before.resolve(), None]
    for name in names:
        for turn in range(1 if asked.before is None else asked.turns):
            for source in sources:
                key = f"{folder.name}: {name} {memory}{BEFORE if source else ''}, turn {turn}"
                limit = memory_in_bytes(memory)
                run = partial(child, folder, name, "ours", memory, limit, None, source)
                found = {k: v for k, v in journal.once(key, run).items() if k not in HIDDEN}
                print(name, json.dumps(found), flush=True)


HIDDEN = {"row", "code", "weights", "digest", "figures"}  # of a row, when it is printed


def peers(folder: Path, names: list[str], turns: int, python: str | None, journal: Journal) -> None:
    """Run ours and the peers in turns; print the seconds and how good the lines are.

    A run of each comes first that is not counted: it compiles what is not compiled yet, and brings
    the files into memory.

    Parameters
    ----------
    python : the interpreter that has the peers; None for this one
    """
    X, y = np.load(folder / "X.npy", mmap_mode="r"), np.load(folder / "y.npy", mmap_mode="r")
    if "pla" in names and not (folder / "rows.cache").exists():
        child(folder, "files", "Vowpal Wabbit", None, None, python)
    for task in names:
        runs: dict[str, list[Found]] = {who: [] for who in PEERS[task]}
        for turn in range(turns + 1):
            for who, found in runs.items():
                at = None if who.startswith("separatrix") else python
                run = partial(child, folder, task, who, None, None, at)
                key = f"{folder.name}: {task}, {who}, turn {turn}"
                found.append(journal.once(key, run if turn else partial(_uncounted, run)))
        for who, found in runs.items():
            good = [one for one in found[1:] if "failed" not in one]
            if not good:
                print(task, who, "failed:", found[0].get("failed"), flush=True)
                continue
            value = objective(task, np.array(good[0]["weights"]), X, y)
            whole, fit, cpu = (
                [one[key] for one in good] for key in ("process", "load and fit", "cpu")
            )
            start = [a - b for a, b in zip(whole, fit, strict=True)]
            timed = "  ".join(
                f"{name} {min(some):.2f} / {median(some):.2f} / {max(some):.2f}"
                for name, some in zip(
                    ("whole", "start-up", "load and fit", "cpu"),
                    (whole, start, fit, cpu),
                    strict=True,
                )
            )
            print(f"{task:9} {who:29} {timed}  {value!r}", flush=True)


def _uncounted(run: Callable[[], Found]) -> Found:
    return run() | {"figures": {}}


def objective(task: str, w: Any, X: Any, y: Any) -> float:  # noqa: ANN401
    """Return the sum of errors of a line over all rows, added tile by tile."""
    total = 0.0
    for start in range(0, len(y), CHUNK):
        score = X[start : start + CHUNK].astype(np.float64) @ w[1:] + w[0]
        target = np.asarray(y[start : start + CHUNK], dtype=np.float64)
        if task == "logistic":
            total += float(np.logaddexp(0.0, np.where(target > 0.0, -score, score)).sum())
        elif task == "linear":
            total += float(((target - score) ** 2).sum())
        else:
            total += float(np.count_nonzero((score > 0.0) != (target > 0.0)))
    return total


def passes(folder: Path, turns: int, names: list[str]) -> None:
    """Print a pass over `.npy` files beside the same pass over doubles in memory.

    The files are in the system's cache; memory's pass begins with rows that were widened before.
    With a folder `parquet`, also a pass over its files beside the bare read of Arrow, which leaves
    columns as they are.
    """
    compared = {**_in_memory_and_blocks(folder), **_parquet_and_bare(folder)}
    for name in names or list(compared):
        times: tuple[list[tuple[float, float]], ...] = ([], [])
        for _ in range(turns + 1):
            for run, found in zip(compared[name], times, strict=True):
                cpu, wall = time.process_time(), time.perf_counter()
                run()
                found.append((time.perf_counter() - wall, time.process_time() - cpu))
        for what, k in (("wall", 0), ("cpu", 1)):
            one, other = ([t[k] for t in some[1:]] for some in times)
            ratios = sorted(b / a for a, b in zip(one, other, strict=True))
            print(
                f"{name:12} {what:4} {median(one):.3f} {median(other):.3f} s  ratio "
                f"{ratios[0]:.2f} / {median(ratios):.2f} / {ratios[-1]:.2f}",
                flush=True,
            )


Pair = tuple[Callable[[], object], Callable[[], object]]


def _in_memory_and_blocks(folder: Path) -> dict[str, Pair]:
    import warnings

    from separatrix import AveragedPerceptron, LogisticRegression, NotConvergedWarning, Perceptron
    from separatrix.data import Sample
    from separatrix.exact.signed_rows import SignedRows
    from separatrix.learners.least_squares.normal_equations import _grams, _left
    from separatrix.learners.logistic.newton import Read
    from separatrix.scale import Loop, Rows

    warnings.simplefilter("ignore", NotConvergedWarning)
    X, y = np.load(folder / "X.npy").astype(np.float64), np.load(folder / "y.npy")
    signs, weight = np.where(y > 0, 1.0, -1.0), np.ones(len(y))
    sample = Sample(X, signs, np.array([0, 1]), weight)
    table = _opened(folder, None, back_end=Loop())
    shift, scale = X[:256].mean(axis=0), np.ones(X.shape[1])
    model = LogisticRegression(tol=TOL).fit(table)
    place, w = model.certificate_.place, np.array(_weights(model))
    memory, none = Rows.of(sample), np.empty(0)
    rows, many = SignedRows(sample), SignedRows(table)

    def walked(learner: Any) -> Pair:  # noqa: ANN401
        return lambda: learner(max_iter=1).fit(X, y), lambda: learner(max_iter=1).fit(table)

    return {
        "Gram": (
            lambda: memory.sum(_grams, shift, scale, np.float64),
            lambda: table.sum(_grams, shift, scale, np.float64),
        ),
        "correction": (
            lambda: memory.sum(_left, w, 1.0, none),
            lambda: table.sum(_left, w, 1.0, none),
        ),
        "Newton": (lambda: Read.of(memory, place), lambda: Read.of(table, place)),
        "scan": (lambda: rows.scan(w), lambda: many.scan(w)),
        "PLA": walked(Perceptron),
        "averaged": walked(AveragedPerceptron),
    }


def _parquet_and_bare(folder: Path) -> dict[str, Pair]:
    files = sorted(str(path) for path in (folder / "parquet").glob("*.parquet"))
    if not files:
        return {}
    import pyarrow.parquet as pq

    from separatrix.learners.least_squares.normal_equations import _grams

    table = _opened(folder, "512MB", parquet=True)  # too little to keep the rows
    shift, scale = np.zeros(table.d), np.ones(table.d)

    def bare() -> None:
        for path in files:
            with pq.ParquetFile(path) as file:
                for _ in file.iter_batches(1 << 16):
                    pass

    return {"Parquet": (bare, lambda: table.sum(_grams, shift, scale, np.float64))}


ROWS, COLUMNS = (10**5, 10**6, 10**7, 10**8), (2, 5, 20, 100, 300, 1000)
AT_COLUMNS, AT_ROWS = 20, 10**5  # while the other grows
FROM = {"rows": 10**6, "columns": 20}  # below, what a run costs at all is most of it
LEFT_OUT = {("separability", 1000)}  # overlapping: exact proofs of a thousand columns take minutes


def growth(
    folder: Path, names: list[str], largest: float, picture: Path | None, journal: Journal
) -> None:
    """Print seconds of work against rows and against columns, and the exponents.

    Seconds are those of all processors in load and fit, so that other work on the machine adds
    little to them.

    Parameters
    ----------
    picture : an .svg file for the two pictures on logarithmic axes; None for none
    """
    runs = [("rows", n, n, AT_COLUMNS) for n in ROWS if n <= largest]
    runs += [("columns", d, AT_ROWS, d) for d in COLUMNS]
    seconds: dict[str, dict[str, list[tuple[int, float]]]] = {"rows": {}, "columns": {}}
    for k, (what, size, rows, d) in enumerate(runs):
        here = folder / f"{rows}x{d}"
        if not (here / "y.npy").exists():
            make(here, rows, d, margin=0.0, parquet=False)
        for name in names:
            if (name, d) in LEFT_OUT:
                continue
            if k == 0:  # compiles what is not compiled yet
                child(here, name, "ours", "1GB", None)
            run = partial(child, here, name, "ours", "1GB", None)
            found = journal.once(f"{here.name}: {name}", run)
            print(what, size, name, found.get("busy", found.get("failed")), flush=True)
            if "failed" not in found:
                seconds[what].setdefault(name, []).append((size, found["busy"]))
    for what, of_names in seconds.items():
        for name, points in of_names.items():
            print(f"{name}: seconds grow as {what}^{exponent(points, FROM[what]):.2f}")
    if picture is not None:
        draw(seconds, picture)


def exponent(points: list[tuple[int, float]], least: int) -> float:
    """Return the slope of ln seconds over ln size, by least squares, from a size on."""
    size, seconds = np.array([point for point in points if point[0] >= least], dtype=float).T
    return float(np.polyfit(np.log(size), np.log(seconds), 1)[0])


def draw(seconds: dict[str, dict[str, list[tuple[int, float]]]], picture: Path) -> None:
    """Draw seconds against rows and against columns, on logarithmic axes, with the exponents."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    mpl.rcParams.update({"svg.hashsalt": "growth", "svg.fonttype": "none", "font.size": 9})
    figure, sides = plt.subplots(1, 2, figsize=(8.0, 3.4), layout="constrained")
    titles = {
        "rows": f"rows, of {AT_COLUMNS} columns",
        "columns": f"columns, of {AT_ROWS:,} rows",
    }
    for side, (what, of_names) in zip(sides, seconds.items(), strict=True):
        for name, points in of_names.items():
            label = f"{name}: exponent {exponent(points, FROM[what]):.2f}"
            side.loglog(*zip(*points, strict=True), marker="o", markersize=3, label=label)
        side.set(xlabel=titles[what], ylabel="seconds of work")
        side.grid(alpha=0.3)
        side.legend(frameon=False)
    figure.savefig(picture, metadata={"Date": None})


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale")
    parser.add_argument("what", choices=["make", "tasks", "peers", "passes", "growth", "child"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rows", type=float, default=2e6)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--margin", type=float, default=0.0)
    parser.add_argument("--no-parquet", action="store_true")
    parser.add_argument("--memory")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--python", help="the interpreter of the peers")
    parser.add_argument("--largest", type=float, default=1e7)
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--before", type=Path, help="tasks in turns with modules of a checkout")
    parser.add_argument("--json", type=Path, help="a row for each process; gone on with")
    asked = parser.parse_intermixed_args()
    if asked.what == "child":
        run_child(asked.folder, *asked.names, asked.memory, asked.limit)
        return
    stop_as_by_ctrl_c()
    code = [stamp(s.resolve()) for s in (asked.before, ROOT / "src") if s is not None]
    try:
        do(asked, Journal(asked.json, " ".join(code)))
    except KeyboardInterrupt:
        raise SystemExit(128 + signal.SIGINT) from None


def do(asked: argparse.Namespace, journal: Journal) -> None:
    """Make files, or measure."""
    match asked.what:
        case "make":
            make(
                asked.folder,
                int(asked.rows),
                asked.columns,
                margin=asked.margin,
                parquet=not asked.no_parquet,
            )
        case "tasks":
            tasks(asked.folder, asked.names or list(OURS), asked, journal)
        case "peers":
            peers(asked.folder, asked.names or COMPARED, asked.turns, asked.python, journal)
        case "passes":
            passes(asked.folder, asked.turns, asked.names)
        case "growth":
            names = asked.names or ["linear", "logistic", "pla", "separability"]
            growth(asked.folder, names, asked.largest, asked.picture, journal)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    main()
