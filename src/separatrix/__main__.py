"""Where `separatrix` and ``python -m separatrix`` begin."""

import sys


def main() -> None:
    """Run the command line; an interrupt while it is still being loaded is one, too."""
    try:
        from separatrix.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
