"""PLA as a film: the mistake, w before and after, the line turning, the pocket, the growth.

In reading order: `film` (the plane, the walk, and which moments are shown), `scene` (a moment as
pixels), `gif` (pixels as files, MP4 too), `making` (`animate`).
"""

from separatrix.report.animation.film import Film
from separatrix.report.animation.making import animate
