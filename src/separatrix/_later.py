"""Libraries that are loaded when something of them is first used: not all work needs them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import flint
    import pyarrow as pa
    import pyarrow.compute as pc
    from sklearn.utils import validation
else:
    from separatrix._loading import Later

    flint, pa, pc = map(Later, ("flint", "pyarrow", "pyarrow.compute"))
    validation = Later("sklearn.utils.validation")
