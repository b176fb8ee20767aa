"""Convert a checkpoint of the first A3T implementation.

python -m a3t.convert CHECKPOINT.pth --config config.yaml --out FOLDER
"""

from __future__ import annotations

if __name__ == "__main__":  # before the other imports, which are slow
    from a3t.errors import end_at_once

    end_at_once()

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from a3t.console import run
from a3t.convert.checkpoint import convert
from a3t.pretrained import save_checkpoint

CARD = """# {name}

Converted by `python -m a3t.convert` from a checkpoint of the first A3T implementation, with the
licence and the training data of that checkpoint.

- **Positions**: {positions}. **Padding**: {padding}.
- **Phones**: {phones}.
- **Unused parameters**: {unmatched}.
"""


def _convert(options: argparse.Namespace) -> None:
    choices = (options.positions == "legacy", options.padding == "legacy")
    converted = convert(options.checkpoint, options.config, *choices)
    for name in converted.unmatched:
        print(f"unused: {name}", file=sys.stderr)
    phones = "our inventory" if converted.reordered else "the checkpoint's own list and order"
    card = CARD.format(
        name=options.out.name,
        positions=options.positions,
        padding=options.padding,
        phones=phones,
        unmatched=", ".join(converted.unmatched) or "none",
    )
    digest = save_checkpoint(options.out, converted.config, converted.weights, card)
    print(f"{options.out}: {len(converted.weights)} tensors, phones: {phones}, sha256 {digest}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line: returns 0 when done, 1 if the checkpoint can't be converted."""
    parser = argparse.ArgumentParser(prog="python -m a3t.convert", description=__doc__)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    kinds = {"choices": ["legacy", "own"], "default": "legacy"}
    parser.add_argument("--positions", **kinds, help="legacy: as in training")  # type: ignore[arg-type]
    parser.add_argument("--padding", **kinds, help="legacy: as in training")  # type: ignore[arg-type]
    options = parser.parse_args(arguments)
    return run(lambda: _convert(options))


if __name__ == "__main__":
    sys.exit(main())
