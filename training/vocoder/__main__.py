"""`python -m training.vocoder`: train the built-in vocoder, or ``export`` what was trained."""

from __future__ import annotations

import sys

from training.vocoder import vocoder_training


def main(arguments: list[str]) -> int:
    """Run either, and return its exit code."""
    if arguments[:1] == ["export"]:
        # Needs soundfile, which a machine for training alone may lack.
        from training.vocoder import vocoder_export

        return vocoder_export.main(arguments[1:])
    return vocoder_training.main(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
