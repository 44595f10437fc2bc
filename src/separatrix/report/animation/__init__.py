"""PLA as a film: the mistake, w before and after, the line turning, the pocket, the growth.

In reading order: `plane` (two columns, or two principal directions), `film` (the walk, and which
moments are shown), `scene` (a moment as pixels, with `curves` beside and
`words` over it), `gif` and `mp4` (pixels as files), `making` (`animate`).
"""

from separatrix.report.animation.film import Film
from separatrix.report.animation.making import animate
