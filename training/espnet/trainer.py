"""ESPnet's Trainer with A3T's addition: checkpoints that survive a kill."""

from __future__ import annotations

import logging
import os
import zipfile
from pathlib import Path
from typing import Any

from espnet2.train.trainer import Trainer

CHECKPOINT, PREVIOUS = "checkpoint.pth", "checkpoint.previous.pth"


class A3TTrainer(Trainer):
    """ESPnet's Trainer, for runs that are killed at any moment and resume as if they hadn't been.

    ESPnet seeds every epoch separately and writes a checkpoint after each. Two things are missing:
    the checkpoint overwrites the last one, so being killed at that moment leaves none; and with
    gradient accumulation, gradients left over at an epoch's end go into the next but aren't stored.
    """

    @classmethod
    def run(cls, *args: Any, **options: Any) -> None:
        """Train on from the last whole checkpoint."""
        restore_checkpoint(Path(options["trainer_options"].output_dir))
        super().run(*args, **options)

    @classmethod
    def train_one_epoch(cls, *args: Any, **options: Any) -> bool:
        """Train an epoch as ESPnet does, from gradients of zero."""
        for optimiser in options["optimizers"]:
            optimiser.zero_grad()
        return super().train_one_epoch(*args, **options)

    @classmethod
    def validate_one_epoch(cls, *args: Any, **options: Any) -> None:
        """Validate, and keep the checkpoint before until the next is written."""
        super().validate_one_epoch(*args, **options)
        distributed = options["distributed_option"]
        if not distributed.distributed or distributed.dist_rank == 0:
            # ESPnet writes the checkpoint next: keep the previous one until then.
            path = Path(options["options"].output_dir) / CHECKPOINT
            if path.exists():
                path.replace(path.with_name(PREVIOUS))


def restore_checkpoint(folder: Path) -> None:
    """Restore the previous checkpoint if the last one is missing or incomplete."""
    last, previous = folder / CHECKPOINT, folder / PREVIOUS
    # torch writes a zip file, whose directory comes last: without it, the file is incomplete.
    if previous.exists() and not (last.exists() and zipfile.is_zipfile(last)):
        logging.warning("%s is incomplete; resuming from the previous one.", last)
        os.replace(previous, last)
