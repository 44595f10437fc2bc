"""The kernels that commands call, and with which types: what is compiled before it is wanted.

Every call is written down with arguments of the right types; values do not matter. The inner
kernels come with those that call them. What only sparse rows, large tables in memory or learners
that no command uses need is not here: it is compiled when it is first called.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import typeof

from separatrix.kernels import exact, rows
from separatrix.kernels._jit import EntryPoint
from separatrix.kernels.separation import levels, min_norm_point, scan
from separatrix.kernels.smooth import (
    elimination,
    firth,
    gradient,
    logistic,
    normal_equations,
    sigmoid,
)
from separatrix.kernels.walks import (
    float32_filter,
    passive_aggressive,
    perceptron,
    pocket,
    pocket_gram,
    pocket_scan,
    quantised,
    voting,
)
from separatrix.kernels.walks.perceptron import Progress, Question, plain
from separatrix.kernels.zero_one import (
    boxes,
    coordinate_descent,
    cores,
    disjoint,
    local_search,
)


def entry_points() -> tuple[tuple[EntryPoint, ...], tuple[EntryPoint, ...]]:
    """Return those of a verdict, what it calls last first, and others, what takes longest first."""
    one, yes = 1, True
    f, g, by_columns = np.empty(1), np.empty((1, 1)), np.empty((2, 2), order="F")
    i, u = np.empty(1, np.int64), np.empty((1, 1), np.uint64)
    ii = np.empty((1, 1), np.int64)
    byte, i32 = np.empty(1, np.uint8), np.empty(1, np.int32)
    f32, f32_3 = np.empty(1, np.float32), np.empty((1, 1, 1), np.float32)
    i16_3 = np.empty((1, 1, 1), np.int16)
    g32 = np.empty((1, 1), np.float32)  # rows of .npy files, in blocks

    instance, program = boxes.Instance(g, f, i), cores.new_program(1, 1)
    stack, box, notes = boxes.new_stack(1, 1, 1), boxes.new_box(1, 1), boxes.new_notes(1, 1, 1)
    on_lines = coordinate_descent.Question(g, f, 1.0, f, 1.0)
    question = plain(Question(g, f, i, 1.0, 1.0, 1.0, f, one, one, one))
    walk = question, plain(Progress(f, f, i, i, i))
    gram = plain(pocket_gram.Gram(i32[None], byte, i32, byte, 1.0))
    tiles = plain(quantised.Tiles(i16_3, g, g, yes))
    scan_of_tiles = plain(pocket_scan.Scan(byte, i, f32))

    u32 = np.empty(1, np.uint32)
    sparse, crossed = (f, u32, u32), (f, u32, i)
    table, answers = (g, f, f, 1.0), logistic.Answers(f, f)

    columns, place = firth.Table(g, f, f), firth.new_place(1, 1)
    levelled, basis = levels.Levelled(i, f, i, i, f, i, i), levels.Basis(i, i, g)

    of_a_verdict: list[tuple[Any, tuple[Any, ...]]] = [
        (scan.agreements, (g, f, f, 1.0)),
        (float32_filter.fill_filter, (g, f, i, 1.0, 1.0, f32_3)),
        (exact.count_mistakes, (g, f, f, 1.0)),
        (normal_equations.residuals_and_sums, (table, f, f, one, one, one)),
        (logistic.cross_entropy_of_tiles, (table, f, answers, f, g, one, one, one)),
        (normal_equations.gram, (g, f, f, one, one, f, f, f)),
        (sigmoid.logistic_parts, (f, f, f, f)),
        (rows.write_centred, (g, f, f, g)),
        (normal_equations.sums_left, (g, f, f, g)),
        (pocket_gram.walk_with_gram, (*walk, (f, f), gram, f)),
        (perceptron.walk_in_order, (*walk, f32_3, 1.0, one, one, one)),
        (rows.standardised, (g, f, f, f)),
        (exact.signed_scores, (g, one, f, 1.0)),
        (scan.worst_of_parts, (g, f, f, 1.0, i, i, i, f)),
        (min_norm_point.least_point, (g, f, 1.0, 1.0, i, f, one, f)),
        (scan.longest_of_parts, (g, 1.0, i, i, f)),
    ]
    others: list[tuple[Any, tuple[Any, ...]]] = [
        (boxes.search, (instance, stack, box, program, notes, i, one, one)),
        (pocket_scan.walk_with_tiles, (*walk, (f, f), tiles, scan_of_tiles, f)),
        (normal_equations.gram, (g32, f, f, one, one, f, f, f)),
        (firth.find_end, (columns, f, 1.0, 1.0, g, 1.0, f, 1.0, one, place)),
        (firth.climb, (columns, g, g, f, 1.0, one, place)),
        (local_search.descend, (g, i, f, g, f)),
        (coordinate_descent.descend, (on_lines, f, g, f, f)),
        (gradient.gradients_of_tiles, (table, f, one, 1.0, one, one, one)),
        (quantised.fill_tiles, (g, f, i, 1.0, tiles)),
        (boxes.begin, (instance, stack, box, i, one, 1.0)),
        (pocket.walk_searching, (*walk, (f, f), f)),
        (cores.solve, (program, g, f, one, f)),
        (disjoint.pack, (i, g, g, i, i, np.empty((1, 1), np.int64), i, i, np.empty(1, bool))),
        (cores.cheap_core, (program, g, f, f, f, one)),
        (coordinate_descent.count_exactly, (on_lines, f, f)),
        (firth.look, (columns, f, place)),
        (passive_aggressive.walk_passively, (*walk, f, 1.0, 1.0, one, one, one)),
        (rows.write_centred, (g, f, f, by_columns)),
        (rows.squared_lengths, (g, one, 1.0)),
        (voting.add_aged, (g, f, i, f, f, 1.0)),
        (voting.mistakes_of_updates, (g, f, i, f, 1.0)),
        (exact.count_mistakes, (g32, f, f, 1.0)),
        (pocket.all_mistakes, (*walk, i, 1.0)),
        (scan.contradictory_duplicates, (u, f, i, i)),
        (scan.longest_of_parts, (g32, 1.0, i, i, f)),
        (elimination.add_levels, (sparse, one, f, f, crossed, crossed)),
        (elimination.arrange, (sparse, f, u32, f, f, one, sparse)),
        (elimination.survey, (sparse, f, f, i, ii, g, f)),
        (elimination.add_products, (sparse, f, g)),
        (elimination.eliminate, (crossed, f, g)),
        (elimination.combine, (sparse, f, f)),
        (levels.move_into_basis, (levelled, i, basis, f, 1.0)),
        (levels.first_basis, (levelled, i, basis, 1.0)),
        (levels.normal_equations, (levelled, f, f, g, f, f, f)),
        (levels.weights_of_levels, (levelled, f, f, f, f, f)),
        (levels.scores_of_levels, (levelled, f, f, f)),
        (levels.one_way_columns, (i, i, i, i, i, i, i)),
        (levels.pairs_of_cells, (g, f, one, (one, one), (one, one), one, ii, i, i, ii, i)),
        (levels.pairs_of_cells, (sparse, f, one, (one, one), (one, one), one, ii, i, i, ii, i)),
        (sigmoid.pulls_and_errors, (g, f, f, g)),
        (gradient.length, (f,)),
        (gradient.take_step, (f, f, 1.0, yes)),
    ]
    return _points(of_a_verdict), _points(others)


def _points(calls: list[tuple[Any, tuple[Any, ...]]]) -> tuple[EntryPoint, ...]:
    return tuple(EntryPoint(kernel, tuple(map(typeof, arguments))) for kernel, arguments in calls)
