"""Adds the machine code of the kernels to a wheel; `.ci/wheels` says where it lies.

Such a wheel is for one minor version of Python and for the versions of Numba and llvmlite that made
the code: with others all kernels would be compiled again, at the first command.
"""

import os
import sysconfig
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

INSIDE = "separatrix/kernels/machine_code"  # as `kernels/_cache.py` looks for it
ABI = sysconfig.get_config_var("SOABI").split("-")[1]  # "311", or "314t" of a free-threaded one


class MachineCode(BuildHookInterface):
    def initialize(self, version_: str, build_data: dict) -> None:  # noqa: ARG002
        folder = os.environ.get("SEPARATRIX_MACHINE_CODE")
        if folder is None:
            return
        files = sorted(Path(folder).rglob("*.nbc"))
        sums = Path(folder, "SHA256SUMS")
        lines = [f"{sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
        sums.write_text("".join(lines))
        for file in [*files, sums]:
            build_data["force_include"][str(file)] = f"{INSIDE}/{file.name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"cp{ABI.rstrip('t')}-cp{ABI}-manylinux_2_17_x86_64"
        build_data["dependencies"] += [f"{name}=={version(name)}" for name in ("numba", "llvmlite")]
