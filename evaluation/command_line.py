"""The experiments and metrics from the command line: `python -m evaluation`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from a3t.console import run
from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from evaluation.detector.detector_command import add_detector_command
from evaluation.edits.edits_command import add_edits_command
from evaluation.listening.listening_command import add_listening_command
from evaluation.reconstruction import add_reconstruction_command
from evaluation.tables.table_command import add_table_command
from evaluation.voices.spoken_prompts_command import add_speech_command
from evaluation.voices.voices_command import add_voices_command


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand: returns 0 when done, 1 if the input can't be used."""
    options = _parser().parse_args(arguments)
    return run(lambda: options.command(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evaluation", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    add_reconstruction_command(commands)
    compare = commands.add_parser("compare", help="compute all metrics between two recordings")
    compare.add_argument("reference", type=Path)
    compare.add_argument("other", type=Path)
    compare.set_defaults(command=_compare)

    picture = commands.add_parser("picture", help="draw an edit: before and after, changes marked")
    picture.add_argument("source", type=Path)
    picture.add_argument("edited", type=Path)
    picture.add_argument("--record", type=Path, help="edit.json (default: the one beside EDITED)")
    picture.add_argument("--out", type=Path, required=True, metavar="PNG")
    picture.set_defaults(command=_picture)

    vocoders = commands.add_parser("vocoders", help="compare vocoders by copy-synthesis")
    vocoders.add_argument(
        "--vocoder",
        action="append",
        default=[],
        metavar="NAME_OR_PATH",
        help="a vocoder to add to Griffin-Lim and the built-in one (repeatable)",
    )
    vocoders.add_argument("--clips", type=int, default=8, metavar="N", help="per part (default: 8)")
    vocoders.add_argument("--corpora", type=Path, help="folder of corpora (default: $A3T_CORPORA)")
    vocoders.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    vocoders.set_defaults(command=_vocoders)

    add_edits_command(commands)
    add_detector_command(commands)
    add_voices_command(commands)
    add_table_command(commands)
    add_listening_command(commands)
    add_speech_command(commands)

    runs = commands.add_parser(
        "runs", help="compare training runs on the same clips, without a vocoder"
    )
    runs.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    runs.add_argument("--features", type=Path, required=True, help="features from training.extract")
    runs.add_argument(
        "--clips", type=int, default=40, metavar="N", help="for each of seen and unseen voices"
    )
    runs.add_argument("--frames", type=int, metavar="N", help="crop each clip (default: all)")
    runs.set_defaults(command=_runs)

    samples = commands.add_parser("samples", help="edit test clips with a model, to listen to")
    samples.add_argument("data", type=Path, help="a data directory of clips")
    samples.add_argument("--model", default="small", metavar="NAME_OR_PATH")
    samples.add_argument("--vocoder", default="builtin", metavar="NAME_OR_PATH")
    samples.add_argument("--clips", type=int, default=5, metavar="N")
    samples.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    samples.set_defaults(command=_samples)

    figures = commands.add_parser(
        "figures", help="draw figures 4.6 and 4.7: reconstructions, and attention to phones"
    )
    figures.add_argument(
        "checkpoints", nargs="+",
        help="models, or folders of training runs, EditSpeech's and FastSpeech 2's too, a panel for"
        " each",
    )  # fmt: skip
    figures.add_argument("wav", type=Path, help="a recording, whose middle third is filled")
    figures.add_argument("--text", required=True, help="what is said in it")
    figures.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    figures.set_defaults(command=_figures)
    return parser


def _vocoders(options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from evaluation.copy_synthesis import vocoders
    from evaluation.copy_synthesis.copies import (
        GRIFFIN_LIM,
        SPEED_FRAMES,
        UNTRAINED,
        Copies,
        make_copies,
    )
    from evaluation.harness.report import rows_to_tsv, write_report
    from training.corpora import corpora_root, read_corpora

    if options.clips < 1:
        raise InputError("At least one clip of each part is needed.")
    originals = vocoders.draw_parts(read_corpora(options.corpora or corpora_root()), options.clips)
    names = [GRIFFIN_LIM, "builtin", *options.vocoder]
    copies = [make_copies(name, [original.mel for original in originals]) for name in names]
    costs: list[Copies] = list(copies)
    notes: dict[str, None] = {}
    for name in UNTRAINED:
        try:
            costs.append(make_copies(name, [originals[0].mel[:SPEED_FRAMES]]))
        except InputError as reason:
            notes[f"{name} was skipped. {reason}"] = None
    rows = []
    for place, original in enumerate(tqdm(originals, unit="clip", disable=None)):
        judge = vocoders.judge_of(original)
        rows += [
            vocoders.vocoder_row(original, judge, copy.vocoder, copy.samples[place])
            for copy in copies
        ]
    page = vocoders.markdown_report(rows, costs, notes)
    write_report(options.out, "vocoders", page, rows_to_tsv(rows))


def _compare(options: argparse.Namespace) -> None:
    import numpy as np
    import soundfile

    from a3t.audio.analysis.mel import log_mel
    from evaluation import cepstra, metrics
    from evaluation.speech_quality import speech_mos

    signals = []
    for path in (options.reference, options.other):
        try:
            samples, rate = soundfile.read(str(path), always_2d=True)
        except (OSError, RuntimeError):
            raise InputError(f"{path} can't be read as sound.") from None
        signals.append((samples.mean(axis=1), int(rate)))
    rate = max((r for _, r in signals if r in cepstra.ALL_PASS), default=SAMPLE_RATE)
    one, two = (metrics.resampled(samples, own, rate) for samples, own in signals)
    pitch = metrics.pitch_error(one, two, rate, dtw=True)
    mels = [log_mel(metrics.resampled(x, rate, SAMPLE_RATE)).numpy() for x in (one, two)]
    figures: dict[str, float | None] = {
        "mcd_db": metrics.mel_cepstral_distortion(one, two, rate),
        "f0_rmse_cents": pitch.cents,
        "f0_rmse_hz": pitch.hertz,
        "voicing_error": pitch.voicing,
        "first_implementation_mcd_db": metrics.first_implementation_mcd(one, two, rate),
        "speech_editing_toolkit_mcd": cepstra.editing_toolkit_mcd(*mels),
        "mel_distance_db": metrics.mel_cepstral_distance(*mels, dtw=True),
        "detail": metrics.detail(*mels),
        "speaker_similarity": metrics.speaker_similarity(one, two, rate),
    }
    for name, signal in (("reference", one), ("other", two)):
        figures |= {f"{name}_{k}": v for k, v in speech_mos(signal, rate).items()}
    if abs(len(one) - len(two)) <= 0.02 * rate:  # PESQ and STOI need equal timing
        samples = min(len(one), len(two))
        one, two = one[:samples], two[:samples]
        figures["pesq_wb"] = metrics.pesq_wideband(one, two, rate)
        figures["stoi"] = metrics.stoi(one, two, rate)
    figures = {k: None if v is None or np.isnan(v) else round(v, 4) for k, v in figures.items()}
    print(json.dumps({"sample_rate": rate, **figures}, indent=2))


def _picture(options: argparse.Namespace) -> None:
    from a3t.projects.export.pictures import draw_edit

    record = options.record or options.edited.with_suffix(".edit.json")
    print(draw_edit(options.source, options.edited, record, options.out))


def _runs(options: argparse.Namespace) -> None:
    from evaluation.runs import compare

    print(compare(options.features, options.runs, options.clips, options.frames))


def _samples(options: argparse.Namespace) -> None:
    from evaluation.sample_edits import edit_samples

    print(edit_samples(options.data, options.model, options.out, options.vocoder, options.clips))


def _figures(options: argparse.Namespace) -> None:
    from evaluation.figures.thesis_figures import draw

    draw(options.checkpoints, options.wav, options.text, options.out)
