"""Reconstruction of a recipe's test clips: the experiment of tables 4.2 to 4.4.

python -m a3t.evaluation.recipe_clips data dump exp/packed/a3t_paper exp/evaluation --clips 30

The middle third of the phones is masked, with given and with predicted durations; seen speakers
from ``test``, unseen ones from ``test_unseen`` where the recipe has some.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import soundfile
from tqdm import tqdm

from a3t.audio.files import atomic_path
from a3t.console import run
from a3t.corpora import Clip
from a3t.errors import InputError
from a3t.evaluation.reconstruction import BASELINES, Item, Row, reconstruct
from a3t.training.espnet.dump import read_scp
from a3t.training.waveforms import decode

SECONDS = (2.0, 12.0)


def items(data: Path, dump: Path, split: str, count: int) -> Iterator[Item]:
    """The first ``count`` clips of 2 to 12 s, taken evenly from all over the split."""
    if not (dump / split / "mel.scp").exists():
        return
    lists = {key: read_scp(dump / split / key) for key in ("phones", "durations", "words")}
    mels, speakers = (read_scp(dump / split / key) for key in ("mel.scp", "utt2spk"))
    sounds = read_scp(data / split / "wav.scp")
    fitting = []
    for name in mels:
        frames = sum(map(int, lists["durations"][name].split()))
        if SECONDS[0] <= frames / 80 <= SECONDS[1] and len(lists["phones"][name].split()) >= 6:
            fitting.append(name)
    for name in fitting[:: max(1, len(fitting) // count)][:count]:
        path = Path(sounds[name])
        coded, _ = decode(Clip("", "", path, "", 0.0))
        arrays = {key: np.array(lists[key][name].split(), np.int64) for key in lists}
        yield Item(
            name=name,
            voice=speakers[name],
            seen=split == "test",
            rate=int(soundfile.info(str(path)).samplerate),
            samples=coded.astype(np.float32) / 32768.0,
            mel=np.load(mels[name]).astype(np.float32),
            **arrays,
        )


def evaluate(data: Path, dump: Path, model: Path, out: Path, clips: int, vocoder: str) -> str:
    """Write reconstruction.tsv and .md; returns the page. InputError if no clip can be used."""
    from a3t.evaluation import systems
    from a3t.evaluation.report import markdown_report, rows_to_tsv
    from a3t.vocoder import load_vocoder

    network, model_name = systems.load_a3t(model)
    timing = systems.durations_beside(model)
    predictor = systems.duration_predictor(systems.load_durations(timing)[0]) if timing else None
    machine = load_vocoder(vocoder)
    fillers = {"A3T": systems.a3t_filler(network), **BASELINES}
    rows: list[Row] = []
    halves = ("test", "test_unseen") if (dump / "test_unseen").exists() else ("test",)
    for split in halves:
        for item in tqdm(items(data, dump, split, max(1, clips // len(halves))), disable=None):
            rows += reconstruct([item], fillers, systems.as_vocoder(machine), predictor)
    if not rows:
        raise InputError(f"{dump} has no test clip of {SECONDS[0]:.0f} to {SECONDS[1]:.0f} s.")
    facts = [f"Model: {model_name}", f"Vocoder: {machine.name}"]
    page = markdown_report(rows, "Identity reconstruction of the middle third", facts)
    out.mkdir(parents=True, exist_ok=True)
    for name, text in (("reconstruction.tsv", rows_to_tsv(rows)), ("reconstruction.md", page)):
        with atomic_path(out / name) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return page


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done, 1 something can't be used (one sentence says what)."""
    parser = argparse.ArgumentParser(
        prog="python -m a3t.evaluation.recipe_clips", description=__doc__
    )
    for name in ("data", "dump", "model", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--clips", type=int, default=30)
    parser.add_argument("--vocoder", default="builtin")
    options = parser.parse_args(arguments)
    given = (options.data, options.dump, options.model, options.out)
    return run(lambda: print(evaluate(*given, options.clips, options.vocoder)))


if __name__ == "__main__":
    sys.exit(main())
