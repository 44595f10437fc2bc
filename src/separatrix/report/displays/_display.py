"""What all displays share: the axes that they are drawn on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Display:
    """A picture that has been, or will be, drawn by `plot`.

    Attributes
    ----------
    ax_ : Axes, figure_ : Figure
    """

    ax_: Axes
    figure_: Figure

    def _draw_on(self, ax: Axes) -> Axes:
        """Keep the axes, or the first of several, and their figure; return them."""
        self.ax_ = ax
        self.figure_ = ax.figure  # type: ignore[assignment]  # a subfigure has the same calls
        return ax
