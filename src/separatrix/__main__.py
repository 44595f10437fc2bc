"""``python -m separatrix`` is ``separatrix``."""

from separatrix.cli import main

if __name__ == "__main__":
    main()
