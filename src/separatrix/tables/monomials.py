"""The feature transform of `--degree`: features become all their products of that degree or less.

The monomials, their order, their names ("a", "a^2", "a b") and their values are those of
scikit-learn's `PolynomialFeatures(degree, include_bias=False)`, less the products that say nothing:
one that is constant on the rows it is fitted on, or equal there to a feature before it; and where
two would have one name, as the column "a b" beside a times b, factors stand in brackets. So the
square of an indicator (x^2 = x) goes, and so does the product of two levels of one category (0).

A product of doubles is rounded: x_i (x_j x_k), the last two first. What is proven about a table
with a degree is proven about these rounded products.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from separatrix.data import Floats, InputError, require_memory
from separatrix.tables.wording import Place, shown

Term = tuple[int, ...]  # the factors' positions among the features, ascending

MOST_PRODUCTS = 5000
BRACKETS = re.compile(r"[()]+")


@dataclass(frozen=True, slots=True)
class Monomials:
    """Which products of features take the place of the features."""

    degree: int  # the most factors of a product
    terms: tuple[Term, ...]  # for each new feature the positions of its factors, ascending

    def names(self, features: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the products, given those of the features (d,)."""
        names = tuple(_name(term, features) for term in self.terms)
        if len(set(names)) == len(names):
            return names
        depth = 1 + max(len(run) for name in features for run in BRACKETS.findall(name) or [""])
        apart = [f"{'(' * depth}{name}{')' * depth}" for name in features]
        return tuple(
            features[term[0]] if len(term) == 1 else _name(term, apart) for term in self.terms
        )

    def of(self, X: Floats, features: Sequence[str], place: Place) -> Floats:
        """Return the products (N, terms) of rows X (N, d); `InputError` for one beyond float64."""
        n = X.shape[0]
        d = len(self.terms)
        require_memory(8 * n * d, f"A table of {n:,} rows and {d:,} features")
        products = np.empty((n, d))
        for k, term in enumerate(self.terms):
            products[:, k] = _product(X, term)
            if not np.isfinite(products[:, k]).all():
                row = int(np.argmax(~np.isfinite(products[:, k])))
                factors = ", ".join(repr(float(X[row, j])) for j in term)
                raise InputError(
                    f"{place.at(row, features[term[0]])}: the product "
                    f"{shown(_name(term, features))} of {factors} is beyond float64's range. Use a "
                    "smaller degree, or divide the column by a power of two (exact, and the same "
                    "question)."
                )
        return products


def fit_monomials(X: Floats, degree: int) -> Monomials:
    """Return the monomials of at most `degree` factors that say something on rows X (N, d)."""
    n, d = X.shape
    count = math.comb(d + degree, degree) - 1
    if count > MOST_PRODUCTS:
        raise InputError(
            f"--degree {degree} would make {count:,} features of {d:,}; at most {MOST_PRODUCTS:,} "
            "are made. Use a smaller degree, or leave columns out with --drop."
        )
    require_memory(8 * n * count, f"A table of {n:,} rows and {count:,} features")
    terms: list[Term] = [(j,) for j in range(d)]
    seen = {_fingerprint(X[:, j]) for j in range(d)}
    numbers = (itertools.combinations_with_replacement(range(d), k) for k in range(2, degree + 1))
    for term in itertools.chain.from_iterable(numbers):
        product = _product(X, term)
        mark = _fingerprint(product)
        constant = bool((product[:1] == product).all() and np.isfinite(product[:1]).all())
        if mark in seen or constant:  # what overflows is kept, and refused by its line when used
            continue
        seen.add(mark)
        terms.append(term)
    return Monomials(degree, tuple(terms))


def whole_degree(degree: object) -> int:
    if isinstance(degree, bool) or not isinstance(degree, int | np.integer) or degree < 1:
        raise InputError(f"degree={degree!r} must be a whole number, 1 or more.")
    return int(degree)


def _product(X: Floats, term: Term) -> Floats:
    """Return one product (N,), from the last factor to the first, as scikit-learn rounds it."""
    product = X[:, term[-1]].copy()
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for j in reversed(term[:-1]):
            product *= X[:, j]
    return product


def _fingerprint(values: Floats) -> bytes:
    return hashlib.sha256((values + 0.0).tobytes()).digest()  # + 0.0: -0 is 0


def _name(term: Term, features: Sequence[str]) -> str:
    powers = [(features[j], len(list(same))) for j, same in itertools.groupby(term)]
    return " ".join(name if k == 1 else f"{name}^{k}" for name, k in powers)
