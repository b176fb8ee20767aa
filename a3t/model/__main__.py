"""Print what a configuration builds, part by part.

python -m a3t.model a3t/model/conf/small.yaml
"""

from __future__ import annotations

if __name__ == "__main__":  # before the other imports, which take their time
    from a3t.errors import begin_program

    begin_program()

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import yaml

from a3t.console import run
from a3t.errors import InputError
from a3t.model.a3t import A3T


def summary(config: Path) -> str:
    """List the network's parts with their parameters; raise InputError if it can't be built."""
    try:
        settings = yaml.safe_load(config.read_text(encoding="utf-8"))
        model = A3T.from_config(settings)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{config} can't be read: {error}.") from None
    except (yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError) as error:
        first = str(error).splitlines()[0]
        raise InputError(f"{config} is not a configuration of A3T: {first}.") from None
    counts = {
        name: sum(parameter.numel() for parameter in part.parameters())
        for name, part in model.named_children()
    }
    lines = [f"{name:<16}{count:>14,}" for name, count in counts.items() if count]
    total = sum(parameter.numel() for parameter in model.parameters())
    return "\n".join([*lines, f"{'in all':<16}{total:>14,}"])


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done, 1 the configuration can't be used."""
    parser = argparse.ArgumentParser(prog="python -m a3t.model", description=__doc__)
    parser.add_argument("config", type=Path)
    options = parser.parse_args(arguments)
    return run(lambda: print(summary(options.config)))


if __name__ == "__main__":
    sys.exit(main())
