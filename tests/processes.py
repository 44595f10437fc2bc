"""Python in a process of its own."""

import subprocess
import sys


def python(*words, check=True, **options) -> subprocess.CompletedProcess[str]:
    """Return what a process has printed; it must end well if that is to be checked."""
    command = [sys.executable, *map(str, words)]
    options = {"timeout": 600, **options}
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert not check or done.returncode == 0, done.stderr
    return done


def separatrix(*words, **options) -> subprocess.CompletedProcess[str]:
    return python("-m", "separatrix", *words, **options)
