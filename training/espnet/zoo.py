"""A run as ESPnet's model zoo has it: a zip that `espnet_model_zoo` unpacks.

python -m training.espnet.zoo exp/a3t_paper a3t_paper.zip
"""

from __future__ import annotations

import sys
from pathlib import Path

from a3t.errors import InputError
from training.export import AVERAGE, read_run
from training.programs import Program, option


def pack(exp: Path, out: Path) -> None:
    """``A3TTask.build_model_from_file`` reads what is in ``out``. InputError without ESPnet."""
    try:
        from espnet2.main_funcs.pack_funcs import pack as pack_archive
    except ImportError as error:
        raise InputError(
            f"ESPnet is not installed ({error}): set it up as recipes/README.md says."
        ) from None
    read_run(exp)  # refuses what is missing, in a sentence
    pack_archive(
        files={"a3t_model_file": exp / AVERAGE},
        yaml_files={"a3t_train_config": exp / "config.yaml"},
        outpath=out,
    )


main = Program(
    lambda options: pack(options.exp, options.out),
    option("exp", type=Path),
    option("out", type=Path),
)


if __name__ == "__main__":
    sys.exit(main())
