"""Whether a line separates the rows: float solvers propose, exact arithmetic decides.

In reading order:

- `decide` holds `separability` and what it returns;
- `float_lp` proposes a line or a refusal;
- `alternative` is Gordan's: separable, touching or overlapping; `exact_simplex` decides what floats
  could not;
- `constraint_generation` lets few rows stand for all, `working_rows` proves what they show
  and sharpens it;
- `levels` decides tables with categories: `level_fit` proposes, `level_divergence` finds which way
  their coefficients go;
- `max_margin` and `hull_distance` find the largest margin and the widest street, `rounding` a line
  of few digits;
- `divergence` finds which coefficients of logistic regression have no finite optimum.
"""
