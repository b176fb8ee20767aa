"""Make a model folder of a punctuation run.

python -m training.text.export_punctuation RUN …

The card's figures are measured here, on the texts that are named, with the weights as they are
shipped: 16-bit floats.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from a3t.pretrained import save_checkpoint
from a3t.text.punctuation.network import WINDOW, predict
from a3t.text.punctuation.restoring import NAME, load
from a3t.text.punctuation.words_and_tags import TAGS
from a3t.user_folders import SHIPPED_MODELS
from training.programs import Program, option
from training.text.punctuated_text import TaggedText
from training.text.punctuation_scores import OVERALL, read_test, scores, tags_of
from training.text.train_punctuation import VOCABULARY, TaggerTraining, load_run

LIFTS = (0.0, -0.4, -0.2, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2)
MOST_WORDS = 30_000  # of a text, to choose among them
_CARD = """# punctuation

Commas, full stops, question marks and capitals for a transcript that has none.

- **Model**: FFA (Wu, Fang & Zhao, A Context-Aware Feature Fusion Framework for Punctuation
  Restoration, 2022): interaction and masked self-attention, fused by a third layer of attention,
  over word vectors and {layers} gated convolutions. {parameters:,} parameters, as 16-bit floats.
  Where there is sound, the length of the pause after each word is a further input.
- **Data**: trained on {words:,} words of talk: White House briefings and interviews (public
  domain), hearings of the Post Office Horizon IT and UK Covid-19 inquiries (contains public
  sector information licensed under the Open Government Licence v3.0); of 36 books (public domain;
  Standard Ebooks' editions, CC0 1.0), presidents' speeches (public domain) and single sentences
  (Mozilla Common Voice's prompts, CC0 1.0; Tatoeba, CC BY 2.0 FR). Only weights are here, and a
  list of {listed:,} words.
- **Steps**: {steps:,} of {batch} windows of {window} words; {minutes:.0f} minutes of one core:
  `recipes/punctuation/run.sh`. The scores of commas, full stops and question marks are raised by
  {lifts} (natural logarithm), which gave the highest F1 on other talk and books.
- **Measured quality**, by words alone:
  {quality}.
- **Licence of the weights**: Apache-2.0.
"""


def export(run: Path, out: Path, tests: Sequence[Path], dev: Sequence[Path] = ()) -> Path:
    """Write the run's network to ``out``, with a card that says how good it is on the tests.

    With ``dev`` the marks' scores are lifted by what gives the highest F1 there (`best_lifts`).
    """
    config, network, state = load_run(run)
    lifts = best_lifts(network, [*map(read_test, dev)]) if dev else [0.0] * len(TAGS)
    with torch.no_grad():
        network.get_parameter("ffa.tag.bias").add_(torch.tensor(lifts))
    words = (run / VOCABULARY).read_text(encoding="utf-8")
    tensors: dict[str, Tensor] = {key: x.half() for key, x in network.state_dict().items()}
    tensors["vocabulary"] = torch.frombuffer(bytearray(words.encode()), dtype=torch.uint8)
    shipped = {
        "buckets": config["vocabulary"]["buckets"],
        "encoder": config["encoder"],
        "ffa": config["ffa"],
    }
    schedule = TaggerTraining(**config["training"])
    facts: Mapping[str, Any] = {
        "layers": config["encoder"]["layers"],
        "parameters": sum(x.numel() for x in network.parameters()),
        "words": state["step"] * schedule.batch * WINDOW,
        "listed": len(words.split("\n")),
        "steps": state["step"],
        "batch": schedule.batch,
        "window": WINDOW,
        "minutes": state["seconds"] / 60,
        "lifts": ", ".join(f"{lift:.1f}" for lift in lifts[1:]),
    }
    save_checkpoint(out, shipped, tensors, _CARD.format(**facts, quality="not yet"))
    quality = ";\n  ".join(measured(out, test) for test in tests)
    save_checkpoint(out, shipped, tensors, _CARD.format(**facts, quality=quality))
    return out


def best_lifts(network: nn.Module, texts: Sequence[TaggedText]) -> list[float]:
    """Return the values of LIFTS that, added to each mark's scores in turn, give the highest F1.

    Cross entropy makes a model that rather says nothing, for most words have no mark.
    """
    parts = [text.first(MOST_WORDS) for text in texts]
    logits = torch.cat([predict(network, part.words)[0].log() for part in parts])
    due = np.concatenate([part.tags for part in parts])
    lifts = [0.0] * len(TAGS)
    for mark in 2 * [*range(1, len(TAGS))]:
        found = []
        for lift in LIFTS:
            lifts[mark] = lift
            lifted = logits + torch.tensor(lifts)
            found.append(scores(lifted.argmax(-1).numpy(), due)[OVERALL].f1)
        lifts[mark] = LIFTS[found.index(max(found))]
    return lifts


def measured(model: Path, test: Path) -> str:
    """Write the F1 of each mark, in words."""
    text = read_test(test)
    found = scores(tags_of(load(model), text)[0], text.tags)
    marks = ", ".join(f"{tag.lower()} {s.f1:.1f}" for tag, s in found.items() if tag != OVERALL)
    whole = found[OVERALL]
    return (
        f"{test.name.split('.')[0]} ({len(text):,} words) F1 {whole.f1:.1f} %\n  "
        f"(precision {whole.precision:.1f}, recall {whole.recall:.1f}; {marks})"
    )


def work(args: argparse.Namespace) -> None:
    """Export the run that the options name."""
    print(f"Written: {export(args.run, args.to, args.text, args.dev)}")


main = Program(
    work,
    option("run", type=Path),
    option("--to", type=Path, default=SHIPPED_MODELS / NAME, metavar="FOLDER"),
    option(
        "--dev", type=Path, nargs="*", default=[], metavar="FILE",
        help="texts on which to choose the score offsets",
    ),
    option("--text", type=Path, nargs="+", default=[], metavar="FILE"),
)  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
