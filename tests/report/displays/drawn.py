"""What was drawn, read from the axes."""

import warnings

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


def new_axes(**how):
    figure = Figure()
    FigureCanvasAgg(figure)
    return figure.add_subplot(**how)


def rendered(display):
    """Draw it for real; no warning of ours or of numpy's on the way."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="Glyph")  # a font without Chinese is no mistake
        display.figure_.canvas.draw()
    return display


def of_line(model):
    return np.append(model.intercept_, model.coef_[0])
