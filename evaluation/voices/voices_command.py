"""python -m evaluation voices: what adapting to a voice is worth."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluation.voices.own_voices import OwnVoiceRow


def add_voices_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Its parser, among those of the other commands."""
    own = commands.add_parser(
        "voices", help="unseen voices reconstructed, before and after adapting to each"
    )
    own.add_argument("--model", default="small", metavar="NAME_OR_PATH")
    own.add_argument("--vocoder", default="builtin", metavar="NAME_OR_PATH")
    own.add_argument(
        "--seconds", type=float, nargs="+", default=[10.0, 60.0, 300.0], metavar="S",
        help="of material; a voice with less than the least is left out, and each takes part in "
        "what it has enough for (default: 10 60 300)",
    )  # fmt: skip
    own.add_argument("--voices", type=int, default=4, metavar="N", help="from each corpus in turn")
    own.add_argument(
        "--set", default="report", choices=["choose", "report"], help="which half of the voices"
    )
    own.add_argument("--clips", type=int, default=8, metavar="N", help="tested of each voice")
    own.add_argument("--steps", type=int, metavar="N", help="of each adaptation (by the material)")
    own.add_argument("--rank", type=int, default=8, metavar="N", help="of the weights' changes")
    own.add_argument("--rate", type=float, default=2e-3, metavar="X", help="of learning")
    own.add_argument("--batch-frames", type=int, default=1000, metavar="N", help="of a step")
    own.add_argument("--corpora", type=Path, help="folder of corpora (default: $A3T_CORPORA)")
    own.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    own.set_defaults(command=evaluate_voices)


def evaluate_voices(options: argparse.Namespace) -> None:
    """Carry out the parsed command; raises InputError."""
    from tqdm import tqdm

    from a3t.vocoder import load_vocoder
    from a3t.voice.adaptation import AdaptationConfig
    from evaluation.harness.report import rows_to_tsv, write_report
    from evaluation.systems import networks
    from evaluation.voices import own_voices
    from training.corpora import corpora_root, read_corpora

    model, name = networks.load_a3t(options.model)
    vocoder = networks.as_vocoder(load_vocoder(options.vocoder))
    config = AdaptationConfig(
        rank=options.rank,
        steps=options.steps,
        rate=options.rate,
        batch_frames=options.batch_frames,
    )
    clips = read_corpora(options.corpora or corpora_root())
    found = own_voices.speakers(clips, min(options.seconds), options.clips, options.set)
    rows: list[OwnVoiceRow] = []
    chosen = list(found.items())[: options.voices]
    for voice, own in tqdm(chosen, unit="voice", disable=None):
        tests = own_voices.aligned(own.tests)
        for seconds in options.seconds:
            if own.seconds < seconds:
                continue
            pieces = own_voices.material_of(own.material, seconds)
            rows += own_voices.compare(model, vocoder, voice, seconds, pieces, tests, config)
    page = f"# Adapting to a voice\n\nModel: {name}\n\n{own_voices.voice_table(rows)}"
    write_report(options.out, "voices", page, rows_to_tsv(rows))
