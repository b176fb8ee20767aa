"""A recipe's results as a model to load: ``Editor.load(FOLDER)``.

python -m a3t.training.espnet.pack exp/a3t_paper exp/durations exp/packed/a3t_paper

Takes the average of the best epochs, and puts the duration predictor in its folder. The card's
figures are the recipe's own.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
import yaml
from torch import Tensor

from a3t.console import run
from a3t.errors import InputError
from a3t.model.a3t import A3T
from a3t.model.durations import DurationPredictor
from a3t.pretrained import save_checkpoint
from a3t.training.loop import CHECKPOINT

AVERAGE = "valid.loss.ave.pth"
NETWORK = "network."
TRAINING = (
    *("optim", "optim_conf", "scheduler", "scheduler_conf", "batch_bins", "seed"),
    *("loss_power", "adversarial_weight", "matching_weight"),
)

CARD = """# {title}

{what}

- **Parameters**: {parameters:,}, stored as 16-bit floats.
- **Training**: {training}
- **Use**: edit recordings of yourself or of people who have agreed to it, and say that a recording
  was edited.

Made by `python -m a3t.training.espnet.pack`; state here what was measured, and the corpus's
licence.
"""


def read_average(exp: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Configuration and weights of an ESPnet run; InputError if it has none or they don't fit."""
    try:
        settings = yaml.safe_load((exp / "config.yaml").read_text(encoding="utf-8"))
        state = torch.load(exp / AVERAGE, map_location="cpu", weights_only=True)
    except OSError:
        raise InputError(f"{exp} has no {AVERAGE}: train first (stage 5).") from None
    weights = {
        name.removeprefix(NETWORK): value
        for name, value in state.items()
        if name.startswith(NETWORK)
    }
    config = {
        "model": settings["model_conf"],
        "masking": settings["masking_conf"],
        "data": settings["data_conf"],
        "training": {key: settings[key] for key in TRAINING if key in settings},
    }
    check(A3T.from_config(config), weights, exp / AVERAGE)
    return config, weights


def check(network: torch.nn.Module, weights: Mapping[str, Tensor], path: Path) -> None:
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        first = str(error).splitlines()[0]
        raise InputError(f"{path} does not fit its configuration: {first}") from None


def pack(exp: Path, durations: Path, out: Path) -> None:
    """Write ``out`` with its duration predictor inside: one folder to load, or to upload."""
    config, weights = read_average(exp)
    try:
        timing = yaml.safe_load((durations / "config.yaml").read_text(encoding="utf-8"))
        state = torch.load(durations / CHECKPOINT, map_location="cpu", weights_only=True)
    except OSError:
        raise InputError(f"{durations} has no {CHECKPOINT}: run stage 6 first.") from None
    check(DurationPredictor.from_config(timing), state["average"], durations / CHECKPOINT)
    inside = out / "durations"
    said = "FastSpeech 2's duration predictor."
    steps = f"{state['step']:,} steps"
    _write(inside, {**timing, "steps": state["step"]}, state["average"], said, steps)
    said = "A3T: fills masked log-mel from its surroundings and the text."
    trained = f"by ESPnet, {_epochs(exp)}; the average of the best by validation loss"
    _write(out, {**config, "durations_from": inside.name}, weights, said, trained)


def _epochs(exp: Path) -> str:
    found = (path.stem.removesuffix("epoch") for path in exp.glob("*epoch.pth"))
    kept = [int(number) for number in found if number.isdigit()]
    return f"{max(kept, default=0)} epochs"


def _write(
    folder: Path, config: dict[str, Any], weights: Mapping[str, Tensor], what: str, training: str
) -> None:
    tensors = {
        name: value.half() if value.is_floating_point() else value
        for name, value in weights.items()
    }
    count = sum(value.numel() for value in tensors.values())
    card = CARD.format(title=folder.name, what=what, parameters=count, training=training)
    print(f"{folder}: {save_checkpoint(folder, config, tensors, card)}")


def pack_zoo(exp: Path, out: Path) -> None:
    """The run as ESPnet's model zoo has it: a zip that `espnet_model_zoo` unpacks.

    ``A3TTask.build_model_from_file`` reads what is in it.
    """
    try:
        from espnet2.main_funcs.pack_funcs import pack as pack_archive
    except ImportError as error:
        raise InputError(
            f"ESPnet is not here ({error}): set it up as recipes/README.md says."
        ) from None
    read_average(exp)  # refuses what is missing, in a sentence
    stats = [exp / "stats" / "train" / "mel_stats.npz"]
    pack_archive(
        files={"a3t_model_file": exp / AVERAGE},
        yaml_files={"a3t_train_config": exp / "config.yaml"},
        outpath=out,
        option=[path for path in stats if path.exists()],
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done, 1 something is missing (one sentence says what)."""
    parser = argparse.ArgumentParser(prog="python -m a3t.training.espnet.pack", description=__doc__)
    parser.add_argument("exp", type=Path)
    parser.add_argument("durations", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--zoo", type=Path, metavar="ZIP", help="also for ESPnet's model zoo")
    options = parser.parse_args(arguments)

    def work() -> None:
        pack(options.exp, options.durations, options.out)
        if options.zoo:
            pack_zoo(options.exp, options.zoo)

    return run(work)


if __name__ == "__main__":
    sys.exit(main())
