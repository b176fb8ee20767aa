"""What A3T adds to ESPnet's Trainer: checkpoints that survive a kill."""

from __future__ import annotations

import logging
import os
import zipfile
from pathlib import Path
from typing import Any

from espnet2.train.trainer import Trainer

CHECKPOINT, PREVIOUS = "checkpoint.pth", "checkpoint.previous.pth"


class A3TTrainer(Trainer):
    """ESPnet's Trainer; a run that was killed at any moment resumes as if it had not been.

    ESPnet seeds every epoch by itself and writes a checkpoint after each. Two things are missing:
    the checkpoint is written over the last one, so a kill at that moment leaves none; and with
    gradient accumulation what is left at an epoch's end goes into the next one, but is not stored.
    """

    @classmethod
    def run(cls, *args: Any, **options: Any) -> None:
        restore_checkpoint(Path(options["trainer_options"].output_dir))
        super().run(*args, **options)

    @classmethod
    def train_one_epoch(cls, *args: Any, **options: Any) -> bool:
        for optimiser in options["optimizers"]:
            optimiser.zero_grad()
        return super().train_one_epoch(*args, **options)

    @classmethod
    def validate_one_epoch(cls, *args: Any, **options: Any) -> None:
        super().validate_one_epoch(*args, **options)
        distributed = options["distributed_option"]
        if not distributed.distributed or distributed.dist_rank == 0:
            # The next thing that ESPnet does is to write the checkpoint: keep the one before.
            path = Path(options["options"].output_dir) / CHECKPOINT
            if path.exists():
                path.replace(path.with_name(PREVIOUS))


def restore_checkpoint(folder: Path) -> None:
    """Put the checkpoint before the last in its place if the last is missing or half written."""
    last, previous = folder / CHECKPOINT, folder / PREVIOUS
    # torch writes a zip file, whose directory comes last: a file without it is not whole.
    if previous.exists() and not (last.exists() and zipfile.is_zipfile(last)):
        logging.warning("%s is not whole; going on from the one before.", last)
        os.replace(previous, last)
