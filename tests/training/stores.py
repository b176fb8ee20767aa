"""Feature stores of made-up clips, written as the extraction writes them."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from training.features.store import MELS, Store, StoreWriter

PHONES_OF_A_CLIP = 40


def frame_numbers(mel: np.ndarray) -> np.ndarray:
    """(…, T, 80) of a made-up clip -> which of all frames each frame is, (…, T)."""
    return np.rint(512 * np.asarray(mel)[..., 0] + 64 * np.asarray(mel)[..., 1])


def made_up_clip(
    rng: np.random.Generator, first: int, phones: int, longest: int
) -> dict[str, np.ndarray]:
    durations = rng.integers(1, longest, phones)
    frames = int(durations.sum())
    mel = rng.normal(-2, 1, (frames, MELS))
    numbers = first + np.arange(frames)
    mel[:, 0], mel[:, 1] = numbers // 64 / 8, numbers % 64 / 64  # 16 bits hold them exactly
    return {
        "mel": mel,
        "phones": rng.integers(3, 70, phones),
        "durations": durations,
        "words": np.arange(phones) // 4,
        "score": np.array(0.9),
        "pitch": np.where(numbers % 3 > 0, 6.0 + numbers % 64 / 64, 0.0),
    }


def write_store(
    folder: Path,
    splits: Mapping[str, int],
    *,
    pitch: bool = False,
    phones: int = PHONES_OF_A_CLIP,
    longest: int = 20,
    seed: int = 0,
) -> Store:
    """So many clips of each split, in a store of its own below ``folder``; two voices by turns."""
    rng = np.random.default_rng(seed)
    first = 0
    for split, clips in splits.items():
        with StoreWriter(folder / split, ["pitch"] if pitch else []) as writer:
            for k in range(clips):
                arrays = made_up_clip(rng, first, phones, longest)
                first += len(arrays["mel"])
                writer.add(f"{split}{k}", arrays, f"voice{k % 2}", split)
    return Store(folder)
