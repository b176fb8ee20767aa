"""The experiments and metrics from the command line: `python -m a3t.evaluate`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from a3t.console import run
from a3t.errors import InputError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; 0 done, 1 the input can't be used (one sentence says why)."""
    options = _parser().parse_args(arguments)
    return run(lambda: options.command(options))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="a3t evaluate", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    one = commands.add_parser(
        "reconstruction", help="the middle third of held-out clips masked, filled and compared"
    )
    one.add_argument("--model", default="small", metavar="NAME_OR_PATH")
    one.add_argument("--durations", metavar="NAME_OR_PATH", help="default: the model's own")
    one.add_argument("--vocoder", default="builtin", metavar="NAME_OR_PATH")
    one.add_argument("--clips", type=int, default=30, metavar="N")
    one.add_argument("--corpora", type=Path, help="folder of corpora (default: $A3T_CORPORA)")
    one.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    one.set_defaults(command=_reconstruction)

    two = commands.add_parser("compare", help="all metrics between two recordings")
    two.add_argument("reference", type=Path)
    two.add_argument("other", type=Path)
    two.set_defaults(command=_compare)

    three = commands.add_parser("picture", help="draw an edit: before and after, edits marked")
    three.add_argument("source", type=Path)
    three.add_argument("edited", type=Path)
    three.add_argument("--record", type=Path, help="edit.json (default: the one beside EDITED)")
    three.add_argument("--out", type=Path, required=True, metavar="PNG")
    three.set_defaults(command=_picture)

    four = commands.add_parser("vocoders", help="held-out clips to mels and back, by each vocoder")
    four.add_argument(
        "--vocoder",
        action="append",
        default=[],
        metavar="NAME_OR_PATH",
        help="another to compare, beside Griffin-Lim and the built-in one; any number of times",
    )
    four.add_argument("--clips", type=int, default=8, metavar="N", help="of each part (default 8)")
    four.add_argument("--corpora", type=Path, help="folder of corpora (default: $A3T_CORPORA)")
    four.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    four.set_defaults(command=_vocoders)

    five = commands.add_parser(
        "edits", help="listed edits of unseen voices, measured against natural stretches"
    )
    five.add_argument("--model", default="small", metavar="NAME_OR_PATH")
    five.add_argument("--vocoder", default="builtin", metavar="NAME_OR_PATH")
    five.add_argument(
        "--set", default="report", choices=["choose", "report"], help="which half of the voices"
    )
    five.add_argument(
        "--condition",
        action="append",
        default=[],
        help="one of the conditions, any number of times (default: all)",
    )
    five.add_argument("--edits", type=int, metavar="N", help="the first N alone")
    five.add_argument("--list", type=Path, metavar="TSV", help="other edits than the listed ones")
    five.add_argument(
        "--natural",
        type=Path,
        metavar="JSONL",
        help="edits.jsonl of an earlier run, whose natural stretches are taken as they are",
    )
    five.add_argument("--pictures", action="store_true", help="draw each edit as well")
    five.add_argument("--corpora", type=Path, help="folder of corpora (default: $A3T_CORPORA)")
    five.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    five.set_defaults(command=_edits)
    return parser


def _reconstruction(options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from a3t.corpora import corpora_root, read_corpora
    from a3t.evaluation import systems
    from a3t.evaluation.clips import draw_items
    from a3t.evaluation.reconstruction import BASELINES, Row, reconstruct
    from a3t.evaluation.report import markdown_report, rows_to_tsv
    from a3t.vocoder import load_vocoder

    if options.clips < 2:
        raise InputError("At least two clips are needed, one by a voice that training heard.")
    model, model_name = systems.load_a3t(options.model)
    durations, durations_name = None, "none"
    timing = options.durations or systems.durations_beside(options.model)
    if timing:
        network, durations_name = systems.load_durations(timing)
        durations = systems.duration_predictor(network)
    vocoder = load_vocoder(options.vocoder)
    items = draw_items(read_corpora(options.corpora or corpora_root()), options.clips)
    fillers = {"A3T": systems.a3t_filler(model), **BASELINES}
    vocode = systems.as_vocoder(vocoder)
    rows: list[Row] = []
    for item in tqdm(items, total=options.clips, unit="clip", disable=None):
        rows += reconstruct([item], fillers, vocode, durations)
    sha = f" (sha256 {vocoder.sha256[:12]})" if vocoder.sha256 else ""
    facts = [
        f"Model: {model_name}",
        f"Duration predictor: {durations_name}",
        f"Vocoder: {vocoder.name}{sha}",
    ]
    options.out.mkdir(parents=True, exist_ok=True)
    page = markdown_report(rows, "Identity reconstruction of the middle third", facts)
    _write(options.out / "reconstruction.tsv", rows_to_tsv(rows))
    _write(options.out / "reconstruction.md", page)
    print(page)


def _vocoders(options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from a3t.corpora import corpora_root, read_corpora
    from a3t.evaluation import vocoders
    from a3t.evaluation.copies import GRIFFIN_LIM, SPEED_FRAMES, UNTRAINED, Copies, make_copies
    from a3t.evaluation.report import rows_to_tsv

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
            notes[f"{name} was left out. {reason}"] = None
    rows = []
    for place, original in enumerate(tqdm(originals, unit="clip", disable=None)):
        judge = vocoders.Judge(original)
        rows += [judge.row(copy.vocoder, copy.samples[place]) for copy in copies]
        notes |= dict.fromkeys(sorted(judge.missing))
    page = vocoders.markdown_report(rows, costs, notes)
    options.out.mkdir(parents=True, exist_ok=True)
    _write(options.out / "vocoders.tsv", rows_to_tsv(rows))
    _write(options.out / "vocoders.md", page)
    print(page)


def _edits(options: argparse.Namespace) -> None:
    from a3t.corpora import corpora_root
    from a3t.evaluation.edits import experiment, listing, table

    edits = [e for e in listing.read_list(options.list or listing.LIST) if e.set == options.set]
    rows, facts = experiment.run_experiment(
        edits[: options.edits],
        options.condition,
        options.model,
        options.vocoder,
        options.corpora or corpora_root(),
        options.out,
        options.pictures,
        options.natural,
    )
    page = table.markdown_report(rows, facts)
    _write(options.out / "edits.md", page)
    print(page)


def _compare(options: argparse.Namespace) -> None:
    import numpy as np
    import soundfile

    from a3t.evaluation import cepstra, metrics

    signals = []
    for path in (options.reference, options.other):
        try:
            samples, rate = soundfile.read(str(path), always_2d=True)
        except (OSError, RuntimeError):
            raise InputError(f"{path} can't be read as sound.") from None
        signals.append((samples.mean(axis=1), int(rate)))
    rate = max((r for _, r in signals if r in cepstra.ALL_PASS), default=24_000)
    one, two = (metrics.resampled(samples, own, rate) for samples, own in signals)
    pitch = metrics.pitch_error(one, two, rate, dtw=True)
    figures: dict[str, float | None] = {
        "mcd_db": metrics.mel_cepstral_distortion(one, two, rate),
        "f0_rmse_cents": pitch.cents,
        "voicing_error": pitch.voicing,
        "first_implementation_mcd_db": metrics.first_implementation_mcd(one, two, rate),
        "speaker_similarity": metrics.speaker_similarity(one, two, rate),
    }
    if abs(len(one) - len(two)) <= 0.02 * rate:  # the same timing: these need it
        samples = min(len(one), len(two))
        one, two = one[:samples], two[:samples]
        figures["pesq_wb"] = metrics.pesq_wideband(one, two, rate)
        figures["stoi"] = metrics.stoi(one, two, rate)
    figures = {k: None if v is None or np.isnan(v) else round(v, 4) for k, v in figures.items()}
    print(json.dumps({"sample_rate": rate, **figures}, indent=2))


def _picture(options: argparse.Namespace) -> None:
    from a3t.evaluation.pictures import draw_edit

    record = options.record or options.edited.with_suffix(".edit.json")
    print(draw_edit(options.source, options.edited, record, options.out))


def _write(path: Path, text: str) -> None:
    from a3t.audio.files import atomic_path

    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
