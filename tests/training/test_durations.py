"""Training of the duration predictor from random weights."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from a3t.text.phones import PAUSE, PHONE_ID
from a3t.training.durations import DurationTraining
from a3t.training.features import Features, Item

CONFIG = {
    "durations": {"vocabulary": 73, "width": 16, "hidden": 16, "blocks": 1, "dropout": 0.0},
    "data": {"texts": 8},
}
PAUSE_FRAMES = 24


def features() -> Features:
    """Texts whose phones are mostly short and now and then very long, so that their mean is far
    from their median; every fifth "phone" is a pause. Half of the voices take twice as long."""
    random = np.random.default_rng(0)
    items: list[Item] = []
    parts: dict[str, list[np.ndarray]] = {"phones": [], "durations": [], "words": []}
    frame = phone = 0
    for k in range(24):
        phones = random.integers(4, 8, 30)
        phones[::5] = PHONE_ID[PAUSE]
        durations = np.where(random.random(30) < 0.25, 40, 4) * (1 + k % 2)
        durations[::5] = PAUSE_FRAMES
        words = np.where(phones == PHONE_ID[PAUSE], -1, np.arange(30) // 2)
        split = "dev" if k % 6 == 0 else "train"
        items.append(Item(f"t{k}", "v", "", split, 1.0, frame, int(durations.sum()), phone, 30))
        for name, values in (("phones", phones), ("durations", durations), ("words", words)):
            parts[name].append(values.astype(np.int16))
        frame, phone = frame + int(durations.sum()), phone + 30
    joined = {name: np.concatenate(values) for name, values in parts.items()}
    return Features(tuple(items), np.zeros((0, 80), np.float16), **joined)


def test_from_random_weights_neither_the_level_nor_the_pauses_drift_away() -> None:
    work = DurationTraining(CONFIG, features())
    optimiser = torch.optim.Adam(work.model.parameters(), 1e-2)
    for step in range(120):
        found = work.losses(step)
        optimiser.zero_grad()
        found["total"].backward()
        optimiser.step()
    assert float(found["level"].detach()) < 0.3
    assert work.validate()["pause_frames"] == pytest.approx(0, abs=6)
