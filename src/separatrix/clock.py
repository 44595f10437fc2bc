"""A clock that stands still while kernels are compiled, so that time limits are for the work.

Kernels are compiled when they are first called, in the middle of a search, for a minute in all on a
new installation. A deadline by another clock would end the search before it has begun.
"""


def work_clock() -> float:
    """Return seconds of a monotonic clock that leaves out those in which kernels were compiled.

    From the first call on: what was compiled before it lies before any two times.
    """
    from separatrix.kernels._work_time import work_time  # loads Numba

    return work_time()
