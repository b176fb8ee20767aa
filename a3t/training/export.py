"""Pack a training run's averaged weights as a model to ship, with its card.

python -m a3t.training.export RUN FOLDER --quality "what was measured"
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import torch
import yaml

from a3t.model.a3t import A3T
from a3t.model.durations import DurationPredictor
from a3t.pretrained import save_checkpoint
from a3t.training.loop import CHECKPOINT

ATTRIBUTION = (
    "Trained on LibriSpeech (c) 2014 Vassil Panayotov, CC BY 4.0, from LibriVox recordings; the "
    "LJ Speech Dataset (Keith Ito), public domain; Voice Dataset (Kathleen), Rhasspy project, CC0 "
    "1.0; CSTR VCTK Corpus 0.80 (C. Veaux, J. Yamagishi, K. MacDonald, University of Edinburgh), "
    "ODC-By 1.0."
)

CARD = """# {title}

{what}

- **Parameters**: {parameters:,}; stored as 16-bit floats.
- **Data**: about 6.8 hours of English, 29 voices (5.2 hours of them LibriSpeech); three speakers
  and some 3 % of the prompts of the others were never trained on.
- **Steps**: {steps:,}{history}; batches: {training}
- **Held-out losses at the end** (averaged weights): {losses}
- **Measured quality**: {quality}
- **Licence of the weights**: Apache-2.0. {attribution}
- **Use**: edit recordings of yourself or of people who have agreed to what you make of them, and
  tell those who listen that a recording was edited; don't make anyone appear to say what they did
  not. Voices unlike those of the training data are imitated worse.

Made by `python -m a3t.training.export` from a run whose configuration is `config.yaml`.
"""

WHAT = {
    "model": "A3T: fills masked log-mel from its surroundings and the text.",
    "durations": "How long each phone of a text takes: FastSpeech 2's duration predictor.",
}


def export(run: Path, folder: Path, quality: str, history: str = "") -> str:
    """Write ``folder`` from the run's last checkpoint; returns the sha256 of the weights.

    ``quality`` and ``history`` (what the run started from) are text for the card.
    """
    config: dict[str, Any] = yaml.safe_load((run / "config.yaml").read_text())
    state = torch.load(run / CHECKPOINT, map_location="cpu", weights_only=True)
    tensors = {
        name: value.half() if value.is_floating_point() else value
        for name, value in state["average"].items()
        if not name.startswith("critic.")
    }
    kind = "model" if "model" in config else "durations"
    model = A3T.from_config(config) if kind == "model" else DurationPredictor.from_config(config)
    log = run / "log.jsonl"  # a run of minutes may have none yet
    rows = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    judged = [row for row in rows if any(name.startswith("valid_") for name in row)]
    losses = ", ".join(
        f"{name.removeprefix('valid_')} {value}"
        for name, value in (judged[-1] if judged else {}).items()
    )
    card = CARD.format(
        title=folder.name,
        what=WHAT[kind],
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        steps=state["step"],
        training=f"{config.get('data', {})}",
        losses=losses,
        quality=quality,
        history=history and f" ({history})",
        attribution=ATTRIBUTION,
    )
    return save_checkpoint(folder, {**config, "steps": state["step"]}, tensors, card)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quality", default="not measured yet", help="for the card")
    parser.add_argument("--history", default="", help="for the card: what the run started from")
    arguments = parser.parse_args()
    print(export(arguments.run, arguments.folder, arguments.quality, arguments.history))


if __name__ == "__main__":
    main()
