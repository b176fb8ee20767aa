"""The experiments and metrics from the command line: `python -m evaluation`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from a3t.console import run
from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from evaluation.detector.detector_command import add_detector_command
from evaluation.edits.edits_command import add_edits_command
from evaluation.listening.listening_command import add_listening_command
from evaluation.tables.table_command import add_table_command
from evaluation.voices.spoken_prompts_command import add_speech_command
from evaluation.voices.voices_command import add_voices_command

if TYPE_CHECKING:
    from evaluation.reconstruction import HeldOutClip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand: returns 0 when done, 1 if the input can't be used."""
    options = _parser().parse_args(arguments)
    return run(lambda: options.command(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evaluation", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    one = commands.add_parser(
        "reconstruction", help="mask, fill in and compare the middle third of held-out clips"
    )
    one.add_argument("--model", default="small", metavar="NAME_OR_PATH")
    one.add_argument("--durations", metavar="NAME_OR_PATH", help="default: the model's own")
    one.add_argument("--vocoder", default="builtin", metavar="NAME_OR_PATH")
    one.add_argument("--clips", type=int, default=30, metavar="N")
    one.add_argument("--corpora", type=Path, help="folder of corpora (default: $A3T_CORPORA)")
    one.add_argument("--data", type=Path, help="a recipe's data directories, instead of --corpora")
    one.add_argument("--features", type=Path, help="the features extracted from --data")
    one.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    one.set_defaults(command=_reconstruction)

    two = commands.add_parser("compare", help="compute all metrics between two recordings")
    two.add_argument("reference", type=Path)
    two.add_argument("other", type=Path)
    two.set_defaults(command=_compare)

    three = commands.add_parser("picture", help="draw an edit: before and after, changes marked")
    three.add_argument("source", type=Path)
    three.add_argument("edited", type=Path)
    three.add_argument("--record", type=Path, help="edit.json (default: the one beside EDITED)")
    three.add_argument("--out", type=Path, required=True, metavar="PNG")
    three.set_defaults(command=_picture)

    four = commands.add_parser("vocoders", help="compare vocoders by copy-synthesis")
    four.add_argument(
        "--vocoder",
        action="append",
        default=[],
        metavar="NAME_OR_PATH",
        help="a vocoder to add to Griffin-Lim and the built-in one (repeatable)",
    )
    four.add_argument("--clips", type=int, default=8, metavar="N", help="per part (default: 8)")
    four.add_argument("--corpora", type=Path, help="folder of corpora (default: $A3T_CORPORA)")
    four.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    four.set_defaults(command=_vocoders)

    add_edits_command(commands)
    add_detector_command(commands)
    add_voices_command(commands)
    add_table_command(commands)
    add_listening_command(commands)
    add_speech_command(commands)

    six = commands.add_parser(
        "runs", help="compare training runs on the same clips, without a vocoder"
    )
    six.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    six.add_argument("--features", type=Path, required=True, help="features from training.extract")
    six.add_argument(
        "--clips", type=int, default=40, metavar="N", help="for each of seen and unseen voices"
    )
    six.add_argument("--frames", type=int, metavar="N", help="crop each clip (default: all)")
    six.set_defaults(command=_runs)

    seven = commands.add_parser("samples", help="edit test clips with a model, to listen to")
    seven.add_argument("data", type=Path, help="a data directory of clips")
    seven.add_argument("--model", default="small", metavar="NAME_OR_PATH")
    seven.add_argument("--vocoder", default="builtin", metavar="NAME_OR_PATH")
    seven.add_argument("--clips", type=int, default=5, metavar="N")
    seven.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    seven.set_defaults(command=_samples)

    eight = commands.add_parser(
        "figures", help="draw figures 4.6 and 4.7: reconstructions, and attention to phones"
    )
    eight.add_argument(
        "checkpoints", nargs="+",
        help="models, or folders of training runs, EditSpeech's and FastSpeech 2's too, a panel for"
        " each",
    )  # fmt: skip
    eight.add_argument("wav", type=Path, help="a recording, whose middle third is filled")
    eight.add_argument("--text", required=True, help="what is said in it")
    eight.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    eight.set_defaults(command=_figures)
    return parser


def _reconstruction(options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from a3t.vocoder import load_vocoder
    from evaluation.reconstruction import ReconstructionRow, reconstruct
    from evaluation.report import markdown_report, rows_to_tsv, write_report
    from evaluation.systems import networks
    from evaluation.systems.simple import Interpolation, MeanSpectrum

    if options.clips < 2:
        raise InputError("At least two clips are needed: one by a seen and one by an unseen voice.")
    model, model_name = networks.load_a3t(options.model)
    durations, durations_name = None, "none"
    timing = options.durations or networks.durations_beside(options.model)
    if timing:
        network, durations_name = networks.load_durations(timing)
        durations = networks.duration_predictor(network)
    vocoder = load_vocoder(options.vocoder)
    compared = (networks.A3TSystem(model), MeanSpectrum(), Interpolation())
    systems = {system.name: system for system in compared}
    vocode = networks.as_vocoder(vocoder)
    rows: list[ReconstructionRow] = []
    for clip in tqdm(_test_clips(options), total=options.clips, unit="clip", disable=None):
        rows += reconstruct([clip], systems, vocode, durations)
    if not rows:
        raise InputError(f"{options.features} has no test clip of 2 to 12 s.")
    sha = f" (sha256 {vocoder.sha256[:12]})" if vocoder.sha256 else ""
    facts = [
        f"Model: {model_name}",
        f"Duration predictor: {durations_name}",
        f"Vocoder: {vocoder.name}{sha}",
    ]
    page = markdown_report(rows, "Identity reconstruction of the middle third", facts)
    write_report(options.out, "reconstruction", page, rows_to_tsv(rows))


def _test_clips(options: argparse.Namespace) -> Iterator[HeldOutClip]:
    """Test clips, half by seen and half by unseen voices; a recipe may have no unseen ones."""
    from evaluation.clips import draw_clips, stored_clips
    from training.corpora import corpora_root, read_corpora
    from training.store import Store

    if (options.data is None) != (options.features is None):
        raise InputError("--data and --features belong together: give both.")
    if options.data is None:
        yield from draw_clips(read_corpora(options.corpora or corpora_root()), options.clips)
        return
    splits = {clip.split for clip in Store(options.features).clips}
    halves = [split for split in ("test", "test_unseen") if split in splits]
    for split in halves:
        yield from stored_clips(options.data, options.features, split, options.clips // len(halves))


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
    from evaluation.report import rows_to_tsv, write_report
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
        judge = vocoders.Judge(original)
        rows += [judge.row(copy.vocoder, copy.samples[place]) for copy in copies]
        notes |= dict.fromkeys(sorted(judge.missing))
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
    from a3t.projects.pictures import draw_edit

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
