"""What of a machine may be used, as files of the system say it."""

from separatrix.kernels._machine import available_memory, cores

GROUP = "0::/pods/one\n"


def root_with(folder, **files):
    """Write the files of a system: names with __ for /."""
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("DOT", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_limits_of_a_group_and_of_those_around_it_count(tmp_path):
    root = root_with(
        tmp_path,
        proc__meminfo="MemTotal: 90 kB\nMemAvailable: 64000 kB\n",
        proc__self__cgroup="1:name=x:/\n" + GROUP,
        sys__fs__cgroup__pods__one__memoryDOTmax="max\n",
        sys__fs__cgroup__pods__one__memoryDOTcurrent="7\n",
        sys__fs__cgroup__pods__memoryDOTmax="5000000\n",
        sys__fs__cgroup__pods__memoryDOTcurrent="1000000\n",
        sys__fs__cgroup__pods__one__cpuDOTmax="100000 100000\n",
        sys__fs__cgroup__pods__cpuDOTmax="max 100000\n",
    )
    assert available_memory(root) == 4_000_000
    assert cores(root) == 1


def test_more_used_than_allowed_leaves_nothing(tmp_path):
    root = root_with(
        tmp_path,
        proc__self__cgroup=GROUP,
        sys__fs__cgroup__memoryDOTmax="10\n",
        sys__fs__cgroup__memoryDOTcurrent="11\n",
    )
    assert available_memory(root) == 0


def test_without_groups_the_system_says_it(tmp_path):
    root = root_with(tmp_path, proc__meminfo="MemAvailable: 64 kB\n")
    assert available_memory(root) == 65536
    assert cores(root) == cores(tmp_path / "nothing") >= 1
    assert available_memory() > 0
