"""A place over the axes that titles keep off."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.legend import Legend

from separatrix._types import Untyped


class Reserved(Axes):
    """Invisible axes, as large as a legend."""

    kept_free: Legend

    @classmethod
    def over(cls, ax: Axes, legend: Legend) -> None:
        """Keep the titles of `ax` off a legend of it."""
        made: Any = ax.inset_axes((0.0, 1.0, 1.0, 0.0), axes_class=cls)
        made.kept_free = legend
        made.set_visible(False)
        made.set_in_layout(False)

    def get_window_extent(self, renderer: Untyped = None) -> Untyped:
        """Return the legend's place, in pixels."""
        return self.kept_free.get_window_extent(renderer)
