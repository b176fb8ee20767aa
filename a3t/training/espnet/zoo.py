"""A run as ESPnet's model zoo has it: a zip that `espnet_model_zoo` unpacks."""

from __future__ import annotations

from pathlib import Path

from a3t.errors import InputError
from a3t.training.export import AVERAGE, read_run


def pack(run: Path, out: Path) -> None:
    """``A3TTask.build_model_from_file`` reads what is in ``out``. InputError without ESPnet."""
    try:
        from espnet2.main_funcs.pack_funcs import pack as pack_archive
    except ImportError as error:
        raise InputError(
            f"ESPnet is not installed ({error}): set it up as recipes/README.md says."
        ) from None
    read_run(run)  # refuses what is missing, in a sentence
    pack_archive(
        files={"a3t_model_file": run / AVERAGE},
        yaml_files={"a3t_train_config": run / "config.yaml"},
        outpath=out,
    )
