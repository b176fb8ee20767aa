"""Training the duration predictor from random weights."""

from pathlib import Path

import numpy as np
import pytest
import torch

from a3t.text.phones import PAUSE, PHONE_ID, PHONES
from training.features.store import MELS, Store, StoreWriter
from training.train_durations import TESTS, DurationTraining, errors, phone_class, report, train

CONFIG = {
    "durations": {"vocabulary": 73, "width": 16, "hidden": 16, "blocks": 1, "dropout": 0.0},
    "data": {"texts": 8},
}
PAUSE_FRAMES = 24


def write_texts(folder: Path) -> Store:
    """Texts whose phones are mostly short and now and then very long, so that their mean is far
    from their median; every fifth "phone" is a pause. Half of the voices take twice as long."""
    random = np.random.default_rng(0)
    for split, clips in (("train", 20), ("dev", 4), ("test", 2), ("test_unseen", 2)):
        with StoreWriter(folder / split) as writer:
            for k in range(clips):
                phones = random.integers(4, 8, 30)
                phones[::5] = PHONE_ID[PAUSE]
                durations = np.where(random.random(30) < 0.25, 40, 4) * (1 + k % 2)
                durations[::5] = PAUSE_FRAMES
                arrays = {
                    "mel": np.zeros((durations.sum(), MELS)),
                    "phones": phones,
                    "durations": durations,
                    "words": np.where(phones == PHONE_ID[PAUSE], -1, np.arange(30) // 2),
                    "score": np.array(1.0),
                }
                writer.add(f"{split}{k}", arrays, "v", split)
    return Store(folder)


def test_from_random_weights_neither_the_level_nor_the_pauses_drift_away(tmp_path: Path) -> None:
    work = DurationTraining(CONFIG, write_texts(tmp_path))
    optimiser = torch.optim.Adam(work.model.parameters(), 1e-2)
    for step in range(50):
        found = work.losses(step)
        optimiser.zero_grad()
        found["total"].backward()
        optimiser.step()
    assert float(found["level"].detach()) < 0.3
    assert work.validate()["pause_frames"] == pytest.approx(0, abs=6)


def test_every_phone_has_its_class() -> None:
    classes = {symbol: phone_class(symbol) for symbol in PHONES}
    assert {symbol for symbol, name in classes.items() if name == "other"} == {
        "<blank>",
        "<unk>",
        "<sos/eos>",
    }
    assert classes["AH0"] == "vowels, unstressed" and classes["AH1"] == "vowels, stressed"
    assert (classes["NG"], classes["sp"], classes["CH"]) == ("nasals", "pauses", "affricates")


def test_a_perfect_predictor_has_no_error_at_any_rate(tmp_path: Path) -> None:
    store = write_texts(tmp_path)

    class Perfect:
        """Knows each clip, but speaks twice as fast."""

        def __init__(self) -> None:
            self.clips = iter([clip for clip in store.clips if clip.split in TESTS])

        def frames(self, symbols: list[str], words: list[int]) -> list[float]:
            return [value / 2 for value in store.read(next(self.clips)).durations.tolist()]

    rows = list(errors(Perfect(), store))  # type: ignore[arg-type]
    spoken = [error for _, name, error in rows if name != "pauses"]
    assert len(spoken) > 40 and max(spoken) < 1e-6


def test_a_training_ends_with_its_errors_for_both_kinds_of_speakers(tmp_path: Path) -> None:
    write_texts(tmp_path / "store")
    config = CONFIG | {"training": {"steps": 3, "warmup": 1, "decay": 1}}
    text = train(config, tmp_path / "store", tmp_path / "run")
    table = [line.split("\t") for line in text.splitlines()]
    assert {row[0] for row in table[1:]} == {"test", "test_unseen"}
    assert (tmp_path / "run" / "errors.tsv").read_text() == text
    found = report([("test", "nasals", 10.0), ("test", "nasals", 40.0), ("test", "pauses", 5.0)])
    assert "test\tnasals\t2\t25.0\t25.0" in found and "test\tall but pauses\t2" in found
