"""Pretrain A3T by ESPnet.

python -m a3t.training.espnet.train --config recipes/vctk/conf/a3t_paper.yaml --output_dir exp/a3t …

Every option of an ESPnet task works. A configuration may begin with ``extends: other.yaml`` (beside
it): it then holds only what it changes, as the ablations do.
"""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from a3t.audio.files import atomic_path
from a3t.console import run
from a3t.errors import InputError


def read_config(path: Path) -> dict[str, Any]:
    """A configuration with what it extends merged in, mappings key by key."""
    try:
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path} can't be read: {str(error).splitlines()[0]}.") from None
    if not isinstance(config, dict):
        raise InputError(f"{path} is not a configuration.")
    base = config.pop("extends", None)
    return merge(read_config(path.parent / base), config) if base else config


def merge(base: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """``base`` with ``change`` over it; a mapping changes the one it meets, key by key."""
    result = dict(base)
    for key, value in change.items():
        both = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = merge(result[key], value) if both else value
    return result


def resolve(arguments: Sequence[str]) -> list[str]:
    """The command line with ``--config`` naming a file that extends nothing any more.

    It is written into the folder of ``--output_dir``, as ``given.yaml``.
    """
    result = list(arguments)
    places = {name: k + 1 for k, name in enumerate(result[:-1]) if name.startswith("--")}
    if "--config" in places and "--output_dir" in places:
        config = read_config(Path(result[places["--config"]]))
        target = Path(result[places["--output_dir"]]) / "given.yaml"
        target.parent.mkdir(parents=True, exist_ok=True)
        # Whole or not at all: processes of one training may write it at the same time.
        with atomic_path(target) as temporary:
            temporary.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
        result[places["--config"]] = str(target)
    return result


def _train(arguments: Sequence[str]) -> None:
    try:
        from a3t.training.espnet.task import A3TTask
    except ImportError as error:
        raise InputError(
            f"ESPnet is not here ({error}): set it up as recipes/README.md says."
        ) from None
    try:
        A3TTask.main(cmd=resolve(arguments))
    except (OSError, RuntimeError) as error:
        # torch wraps the system's error and keeps no number.
        full = getattr(error, "errno", None) == errno.ENOSPC or "PytorchStreamWriter" in str(error)
        if not full:
            raise
        raise InputError(
            "A checkpoint can't be written: the disk is full. Make room and start again: the run "
            "goes on from its last whole checkpoint."
        ) from None


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done, 1 something can't be used (one sentence says what)."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    return run(lambda: _train(given))


if __name__ == "__main__":
    sys.exit(main())
