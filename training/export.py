"""Turn a training run into a model to load, ship or upload: ``Editor.load(FOLDER)``.

python -m training.export RUN FOLDER [--durations RUN] [--quality "what was measured"]

RUN is a folder of the plain loop, whose running average of the weights is used, or of ESPnet, whose
average of the best epochs is used. With --durations, a run of ``python -m
training.train_durations`` goes into the same folder.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import yaml
from torch import Tensor, nn

from a3t.errors import InputError
from a3t.learning.loop import CHECKPOINT
from a3t.model.a3t import A3T
from a3t.model.variance.durations import DurationPredictor
from a3t.pretrained import save_checkpoint
from training.configuration import build, load_fitting, read_config
from training.corpora.attribution import ATTRIBUTIONS, attribution
from training.features.split_list import read_split
from training.pretraining_objective import network_weights
from training.programs import Program, option

AVERAGE = "valid.loss.ave.pth"  # what ESPnet calls the average of its best epochs
# The parts of a configuration, by the names ESPnet's config.yaml has for them.
PARTS = {
    "model": "model_conf",
    "masking": "masking_conf",
    "data": "data_conf",
    "loss": "loss_conf",
    "training": "scheduler_conf",
}

CARD = """# {title}

{what}

- **Parameters**: {parameters:,}; stored as 16-bit floats.
- **Training**: {training}; data: {data}
- **Held-out figures at the end**: {figures}
- **Measured quality**: {quality}
- **Licence of the weights**: Apache-2.0. {sources}
- **Use**: edit recordings of yourself, or of people who agree to the result, and tell your
  listeners. Never make anyone appear to say what they did not. Voices unlike the training data are
  imitated less well.

Made by `python -m training.export` from a run whose configuration is `config.yaml`.
"""

WHAT = {
    "model": "A3T: fills masked log-mel frames from their surroundings and the text.",
    "durations": "FastSpeech 2's duration predictor: how long each phone of a text lasts.",
}
NOT_STATED = "state here what it was trained on, and on what terms."


def read_run(folder: Path) -> tuple[dict[str, Any], dict[str, Tensor], str]:
    """Read configuration, averaged weights and history of a run of the plain loop or of ESPnet.

    Raises InputError if there is none, or if its weights don't fit its configuration.
    """
    plain, average = folder / CHECKPOINT, folder / AVERAGE
    path = plain if plain.exists() else average
    if not path.exists():
        raise InputError(f"{folder} has neither {CHECKPOINT} nor {AVERAGE}: train first.")
    config = read_config(folder / "config.yaml")
    state = torch.load(path, map_location="cpu", weights_only=True)
    if path == plain:
        weights, history = state["average"], f"{state['step']:,} steps"
        config["steps"] = state["step"]
    else:
        config = {part: config[name] for part, name in PARTS.items() if name in config}
        weights, history = state, f"by ESPnet, {_epochs(folder)} epochs, the average of the best"
    if "model" in config:
        weights = network_weights(weights)
    kind = A3T if "model" in config else DurationPredictor
    network: nn.Module = build(kind.from_config, config)
    load_fitting(network, weights, str(path))
    return config, dict(weights), history


def _epochs(folder: Path) -> int:
    found = (path.stem.removesuffix("epoch") for path in folder.glob("*epoch.pth"))
    return max((int(number) for number in found if number.isdigit()), default=0)


def _figures(folder: Path) -> str:
    """Return the last validation in the plain loop's log; a run of minutes may have none yet."""
    log = folder / "log.jsonl"
    rows = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    validated = [row for row in rows if any(name.startswith("valid_") for name in row)]
    last = validated[-1] if validated else {}
    figures = {k.removeprefix("valid_"): v for k, v in last.items() if k.startswith("valid_")}
    return ", ".join(f"{name} {value}" for name, value in figures.items()) or "see the run's log"


def export(
    run_folder: Path,
    folder: Path,
    quality: str = "not measured yet",
    corpora: Sequence[str] = (),
    durations: Path | None = None,
) -> str:
    """Write ``folder``; returns the sha256 of the weights. InputError if a run can't be used.

    ``quality`` is text for the card; ``corpora`` are named in it
    (`training.corpora.attribution`). The predictor of the run ``durations`` is put into the
    folder and named in its configuration. The run's list of clips goes with it.
    """
    config, weights, history = read_run(run_folder)
    if split := read_split(run_folder):
        split.write(folder)
        config["split"] = split.digest
    if durations is not None:
        inside = folder / "durations"
        export(durations, inside, quality, corpora)
        config = {**config, "durations_from": inside.name}
    tensors = {
        name: value.half() if value.is_floating_point() else value
        for name, value in weights.items()
    }
    card = CARD.format(
        title=folder.name,
        what=WHAT["model" if "model" in config else "durations"],
        parameters=sum(value.numel() for value in tensors.values()),
        training=history,
        data=yaml.safe_dump(config.get("data") or {}, default_flow_style=True, width=1000).strip(),
        figures=_figures(run_folder),
        quality=quality,
        sources=attribution(list(corpora)) if corpora else NOT_STATED,
    )
    return save_checkpoint(folder, config, tensors, card)


def work(options: argparse.Namespace) -> None:
    """Export the run that the options name."""
    given = (options.quality, options.corpora or (), options.durations)
    print(f"{options.folder}: {export(options.run, options.folder, *given)}")


main = Program(
    work,
    option("run", type=Path),
    option("folder", type=Path),
    option("--durations", type=Path, metavar="RUN", help="run of the duration predictor"),
    option("--quality", default="not measured yet", help="for the card"),
    option(
        "--corpora", nargs="+", choices=sorted(ATTRIBUTIONS), help="corpora to credit in the card"
    ),
)


if __name__ == "__main__":
    sys.exit(main())
