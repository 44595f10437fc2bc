"""A fitted line as an ONNX graph in doubles, with the table's own columns as inputs.

Every feature is multiplied and added by a node of its own, in the order of `predict`: a matrix
product may add in any order, and then the scores are other doubles.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from separatrix._types import Untyped
from separatrix._version import __version__
from separatrix.data import Floats, InputError
from separatrix.files import write_atomically
from separatrix.model import Lines, lines_of, table_of
from separatrix.tables import CategoryEncoding, NumberEncoding, missing_beside
from separatrix.tables.monomials import Term
from separatrix.tables.wording import listed

OPSETS = {"": 17, "ai.onnx.ml": 2}  # old enough for the runtimes of 2022
IR_VERSION = 8
ROWS = "N"

# for every kind of label: ONNX's type, and what stands for no answer
BLANK: Mapping[type, tuple[str, Any]] = {
    str: ("STRING", ""),
    int: ("INT64", np.iinfo(np.int64).min),
    float: ("DOUBLE", np.nan),
    bool: ("BOOL", False),
}


def to_onnx(model: Untyped, path: str | os.PathLike[str]) -> None:
    """Write a fitted line to `path` as an ONNX graph, whole or not at all.

    Inputs: for a model of a table one for each of its columns, under its name, shape (N, 1):
    numbers as double (NaN where missing), categories as string ("" where missing). For a model of
    arrays one input "X", double (N, d). Outputs: ``answer`` (N,), the labels, and ``score``, double
    (N,), or (N, K) for K labels; with an underscore behind where a column is called so.

    A row that `predict` would refuse (a value missing that the model does not fill, a level never
    seen, an infinite number), and one whose score leaves float64's range, gets a score of NaN and
    the answer "" (labels that are whole numbers: -2^63; other numbers: NaN; truth values have no
    such answer: use the score).

    The same model gives the same bytes.

    Parameters
    ----------
    model : a fitted line, or scikit-learn's OneVsRestClassifier or OneVsOneClassifier of lines
    path : str or path

    Raises
    ------
    InputError
        When the model is not a line, when onnx is not installed, when a column has no name, or when
        the file cannot be written.

    Notes
    -----
    Scores are summed in doubles, in the order of `predict`; see `to_sql` for what that promises. A
    score of zero is answered by the sign(0) of the learner, as `predict` does.
    Cells are compared as they are: take blanks around a level off before.
    """
    table = table_of(model)
    if table is not None and table.recipes:
        raise InputError(
            f"this model reads {listed(recipe.column for recipe in table.recipes)} in ways of its "
            "own (--parse, --fold-case, --group-rare or --missing level), which ONNX has not: "
            "export it as SQL (to_sql, export --sql) or learn without these options."
        )
    write_atomically(path, graph_of(lines_of(model)).SerializeToString(deterministic=True))


def graph_of(lines: Lines) -> Untyped:
    """Return the model as ONNX's own object."""
    try:
        from onnx import helper
    except ImportError:
        raise InputError(
            "writing the graph needs the package onnx, which is not installed: pip install onnx, "
            "or export to SQL (to_sql, export --sql), which needs nothing."
        ) from None
    made = _Graph(lines, helper)
    made.build()
    graph = helper.make_graph(made.nodes, "separatrix", made.inputs, made.outputs, made.constants)
    return helper.make_model(
        graph,
        producer_name="separatrix",
        **({"doc_string": lines.note} if lines.note else {}),
        producer_version=__version__,
        ir_version=IR_VERSION,
        opset_imports=[helper.make_opsetid(domain, v) for domain, v in OPSETS.items()],
    )


class _Graph:
    """A graph in the making; inner names begin with "/", and no column may be mistaken for one."""

    def __init__(self, lines: Lines, helper: Untyped) -> None:
        self.lines, self.helper = lines, helper
        self.nodes: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs: list[Any] = []
        self.constants: list[Any] = []
        self.guards: list[str] = []  # 0 where a row can be scored, else NaN
        self.names = [column.name for column in lines.encoding.columns]

    def build(self) -> None:
        """Fill in everything."""
        terms, monomials = self._features(), self.lines.encoding.monomials
        if monomials is not None:
            terms = [self._product(terms, term) for term in monomials.terms]
        self._answer([self._sum(weights, terms) for weights in self.lines.weights])

    # ---------------------------------------------------------------- columns

    def _features(self) -> list[str]:
        """Return the names of the features before products, each (N, 1)."""
        if not self.lines.of_a_table:
            d = len(self.names)
            self.inputs.append(self._value("X", "DOUBLE", [ROWS, d]))
            parts, sizes = [f"/x{j}" for j in range(d)], self._whole([1] * d)
            self.nodes.append(self.helper.make_node("Split", ["X", sizes], parts, axis=1))
            return parts
        made = []
        for j, column in enumerate(self.lines.encoding.columns):
            name = column.name
            if not name or "\0" in name or name.startswith("/"):
                raise InputError(
                    f"column {j + 1} is called {name[:60]!r}, which cannot be an input's name in "
                    "ONNX (empty, with a NUL, or beginning with /): rename it and learn again."
                )
            kind = "DOUBLE" if isinstance(column, NumberEncoding) else "STRING"
            self.inputs.append(self._value(name, kind, [ROWS, 1]))
            if isinstance(column, NumberEncoding):
                made.append(self._number(column, name))
            else:
                made += self._indicators(column, name)
        return made

    def _number(self, column: NumberEncoding, name: str) -> str:
        if column.fill is None:
            return name
        absent = self._node("IsNaN", [name])
        return self._node("Where", [absent, self._doubles([column.fill]), name])

    def _indicators(self, column: CategoryEncoding, name: str) -> list[str]:
        """Return 0 / 1 features for all levels but the first; NaN for a level never seen."""
        codes = {level: k for k, level in enumerate(column.levels)}
        if column.fill is not None:
            fill = codes[column.fill]
            codes |= dict.fromkeys(missing_beside(column.levels), fill)
        unseen = len(column.levels)
        code = self._node(
            "LabelEncoder", [name], "ai.onnx.ml", keys_strings=list(codes),
            values_int64s=list(codes.values()), default_int64=unseen,
        )  # fmt: skip
        table = np.vstack([np.eye(unseen), np.full((1, unseen), np.nan)])
        if unseen == 1:  # no feature; but what is another level still has no score
            self.guards.append(self._node("Gather", [self._doubles(table[:, 0] - 1.0), code]))
        return [self._node("Gather", [self._doubles(table[:, k]), code]) for k in range(1, unseen)]

    # ---------------------------------------------------------------- scores

    def _product(self, features: Sequence[str], term: Term) -> str:
        """Return a product, rounded as the features are: from the last factor to the first."""
        product = features[term[-1]]
        for j in reversed(term[:-1]):
            product = self._node("Mul", [product, features[j]])
        return product

    def _sum(self, weights: Floats, terms: Sequence[str]) -> str:
        """Return a score (N, 1), added up in the order of the features."""
        score = self._doubles([weights[0]])
        for w, term in zip(weights[1:], terms, strict=True):
            score = self._node("Add", [score, self._node("Mul", [term, self._doubles([w])])])
        for guard in self.guards:
            score = self._node("Add", [score, guard])
        return score

    def _says_yes(self, lines: Sequence[str], i: int) -> str:
        """Return whether line i says yes, given the scores (N, 1) of all lines."""
        above = "GreaterOrEqual" if self.lines.zero_is_yes[i] else "Greater"
        return self._node(above, [lines[i], self._doubles([self.lines.least_score])])

    def _joint(self, lines: Sequence[str]) -> list[str]:
        """Return the score (N, 1) of each label from those of the lines; see `Lines.pairs`."""
        says = [self._says_yes(lines, i) for i in range(len(lines))]
        double = self._type("DOUBLE")
        votes = {
            True: [self._node("Cast", [one], to=double) for one in says],
            False: [self._node("Cast", [self._node("Not", [one])], to=double) for one in says],
        }
        scores = []
        for k in range(len(self.lines.classes)):
            vote = total = self._doubles([0.0])
            for i, yes in self.lines.of_label(k):
                vote = self._node("Add", [vote, votes[yes][i]])
                total = self._node("Add" if yes else "Sub", [total, lines[i]])
            size = self._node("Add", [self._node("Abs", [total]), self._doubles([1.0])])
            size = self._node("Mul", [self._doubles([3.0]), size])
            scores.append(self._node("Add", [vote, self._node("Div", [total, size])]))
        return scores

    def _answer(self, lines: Sequence[str]) -> None:
        """Write the outputs: which label, and the scores; neither where a score is not finite."""
        two = self.lines.two
        scores = self._joint(lines) if self.lines.pairs else lines
        scores = scores[-1:] if two else scores
        every = scores[0] if two else self._node("Concat", scores, axis=1)
        finite = self._node("Less", [self._node("Abs", [every]), self._doubles([np.inf])])
        whole = self._node("Cast", [finite], to=self._type("INT64"))
        sure = self._node("ReduceMin", [whole], axes=[1], keepdims=1)
        sure = self._node("Cast", [sure], to=self._type("BOOL"))
        if two:
            place = self._node("Cast", [self._says_yes(lines, 0)], to=self._type("INT64"))
        else:
            place = self._node("ArgMax", [every], axis=1, keepdims=1)
        place = self._node("Where", [sure, place, self._whole([len(self.lines.classes)])])
        shown = self._node("Where", [sure, every, self._doubles([np.nan])])
        known = self.lines.classes.tolist()
        kind, blank = BLANK[type(known[0])]
        labels = self._constant(kind, [*known, blank])
        row = self._whole([1])
        answer, score = self._free("answer"), self._free("score")
        self._node("Gather", [labels, self._node("Squeeze", [place, row])], out=answer)
        self._node(*(("Squeeze", [shown, row]) if two else ("Identity", [shown])), out=score)
        wide: list[int | str] = [ROWS] if two else [ROWS, len(scores)]
        self.outputs += [self._value(answer, kind, [ROWS]), self._value(score, "DOUBLE", wide)]

    # ---------------------------------------------------------------- what a graph is made of

    def _free(self, name: str) -> str:
        """Return a name for an output that no column has."""
        while name in self.names:
            name += "_"
        return name

    def _node(
        self, kind: str, inputs: Sequence[str], domain: str = "", out: str = "", **how: Untyped
    ) -> str:
        name = out or f"/{len(self.nodes)}"
        made = self.helper.make_node(kind, list(inputs), [name], domain=domain, **how)
        self.nodes.append(made)
        return name

    def _constant(self, kind: str, values: Sequence[Any]) -> str:
        name = f"/c{len(self.constants)}"
        if kind == "STRING":
            values = [v.encode() for v in values]
        made = self.helper.make_tensor(name, self._type(kind), [len(values)], values)
        self.constants.append(made)
        return name

    def _doubles(self, values: Sequence[float] | Floats) -> str:
        return self._constant("DOUBLE", [float(v) for v in values])

    def _whole(self, values: Sequence[int]) -> str:
        return self._constant("INT64", list(values))

    def _value(self, name: str, kind: str, shape: Sequence[int | str]) -> Untyped:
        return self.helper.make_tensor_value_info(name, self._type(kind), list(shape))

    def _type(self, kind: str) -> int:
        return int(getattr(self.helper.TensorProto, kind))
