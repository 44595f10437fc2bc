"""Whether a line separates the rows: float solvers propose, exact arithmetic decides.

In reading order:

- `decide` holds `separability` and what it returns;
- `least_points` proposes a line or a refusal;
- `exact_simplex` decides what floats could not; its `separate` is Gordan's alternative: separable,
  touching or overlapping;
- `constraint_generation` lets few rows stand for all, `working_rows` proves what they show,
  sharpens it, and settles on rows whose exact verdict is that of all;
- `levels` decides tables with categories: `level_fit` proposes, `level_divergence` finds which way
  their coefficients go;
- `max_margin` finds the largest margin and the widest street, `rounding` a line of few digits;
- `divergence` finds which coefficients of logistic regression have no finite optimum.
"""
