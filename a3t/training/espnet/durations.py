"""FastSpeech 2's duration predictor, trained on a recipe's own alignments and phones.

python -m a3t.training.espnet.durations dump exp/durations --config a3t/model/conf/durations.yaml

Pauses are phones among the others. At the end errors.tsv has the error on clips that training did
not hear, in milliseconds and by class of phone, for known speakers and, where the recipe holds some
back, for unknown ones.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml

from a3t.audio.files import atomic_path
from a3t.audio.mel import MELS
from a3t.console import run
from a3t.grid import HOP, SAMPLE_RATE
from a3t.model.durations import DurationPredictor
from a3t.plan.speaking_rate import rate_ratio
from a3t.text.phones import PAUSE, PHONES, is_vowel, strip_stress
from a3t.training.durations import DurationTraining
from a3t.training.espnet.dump import read_scp
from a3t.training.features import Features, Item
from a3t.training.loop import CHECKPOINT, Run, stop_signals

FRAME_MS = 1000.0 * HOP / SAMPLE_RATE
CLASSES = {
    "plosives": "B D G K P T".split(),
    "affricates": "CH JH".split(),
    "fricatives": "DH F HH S SH TH V Z ZH".split(),
    "nasals": "M N NG".split(),
    "approximants": "L R W Y".split(),
}


def phone_class(symbol: str) -> str:
    """vowels by stress, consonants by manner, pauses; "other" for special symbols."""
    if symbol == PAUSE:
        return "pauses"
    if is_vowel(symbol):
        return "vowels, unstressed" if symbol.endswith("0") else "vowels, stressed"
    plain = strip_stress(symbol)
    return next((name for name, members in CLASSES.items() if plain in members), "other")


def read_features(dump: Path, splits: Sequence[str]) -> Features:
    """The phones, durations and words of a recipe's splits; without their mel."""
    items: list[Item] = []
    parts: dict[str, list[np.ndarray]] = {"phones": [], "durations": [], "words": []}
    frame = phone = 0
    for split in splits:
        lists = {key: read_scp(dump / split / key) for key in parts}
        scores, speakers = (read_scp(dump / split / key) for key in ("scores", "utt2spk"))
        for name in lists["phones"]:
            arrays = {key: np.array(lists[key][name].split(), np.int16) for key in parts}
            frames, phones = int(arrays["durations"].sum()), len(arrays["phones"])
            place = (frame, frames, phone, phones)
            items.append(Item(name, speakers[name], "", split, float(scores[name]), *place))
            for key, array in arrays.items():
                parts[key].append(array)
            frame, phone = frame + frames, phone + phones
    symbols, durations, words = (np.concatenate(arrays) for arrays in parts.values())
    return Features(tuple(items), np.zeros((0, MELS), np.float16), symbols, durations, words)


def errors(
    predictor: DurationPredictor, features: Features, splits: Sequence[str]
) -> Iterator[tuple[str, str, float]]:
    """Split, class and absolute error in ms of each phone, at the speaker's rate in that clip."""
    for item in features.items:
        if item.split not in splits:
            continue
        _, phones, durations, words = features.of(item)
        symbols = [PHONES[k] for k in phones]
        predicted = np.array(predictor.frames(symbols, words.tolist()))
        spoken = words >= 0
        ratio = rate_ratio(durations[spoken].tolist(), predicted[spoken].tolist())
        predicted = np.where(spoken, predicted * ratio, predicted)
        for symbol, said, true in zip(symbols, predicted, durations, strict=True):
            yield item.split, phone_class(symbol), abs(said - true) * FRAME_MS


def report(rows: Sequence[tuple[str, str, float]]) -> str:
    """Tab-separated: split, class, phones, mean and median error in ms."""
    lines = ["split\tclass\tphones\tmean_ms\tmedian_ms"]
    groups: dict[tuple[str, str], list[float]] = {}
    for split, name, error in rows:
        groups.setdefault((split, name), []).append(error)
        if name != "pauses":
            groups.setdefault((split, "all but pauses"), []).append(error)
    for (split, name), found in sorted(groups.items()):
        figures = f"{np.mean(found):.1f}\t{np.median(found):.1f}"
        lines.append(f"{split}\t{name}\t{len(found)}\t{figures}")
    return "\n".join(lines) + "\n"


def train(dump: Path, out: Path, config: dict[str, Any]) -> str:
    """Train, or go on training, and write errors.tsv; returns it."""
    splits = [s for s in ("train", "dev", "test", "test_unseen") if (dump / s / "phones").exists()]
    features = read_features(dump, splits or ["train"])
    work = DurationTraining(config, features)
    run_ = Run(work.model, work.schedule, out)
    run_.resume()
    out.mkdir(parents=True, exist_ok=True)
    (out / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    run_.train(work.losses, work.validate, stopping=stop_signals())
    state = torch.load(out / CHECKPOINT, map_location="cpu", weights_only=True)
    work.model.load_state_dict(state["average"])
    work.model.eval()
    text = report(list(errors(work.model, features, ("test", "test_unseen"))))
    with atomic_path(out / "errors.tsv") as temporary:
        temporary.write_text(text, encoding="utf-8")
    return text


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done, 1 something can't be used (one sentence says what)."""
    parser = argparse.ArgumentParser(
        prog="python -m a3t.training.espnet.durations", description=__doc__
    )
    parser.add_argument("dump", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)

    def work() -> None:
        from a3t.training.espnet.train import read_config

        print(train(options.dump, options.out, read_config(options.config)))

    return run(work)


if __name__ == "__main__":
    sys.exit(main())
