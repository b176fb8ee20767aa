"""recipes/live: every stage, at a tiny size, and what segments are."""

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
import torch

from alignment import Alignment
from alignment.network.phone_network import (
    SEQUENCE_WEIGHTS,
    SLOWER,
    features,
    load_weights,
    sequence_scores,
)
from evaluation.hearing.live_segments import SegmentedScores
from evaluation.hearing.planting import HELD_OUT, REPORTING
from tests.alignment.conftest import Speech
from tests.recipes.running import run
from training.alignment.examples import Example
from training.live.segmented_network import ROWS, SegmentedNetwork, number_loss
from training.live.train_segments import LONGEST, SegmentTraining, pause_ends

CONFIG = {"segments": {"batch": 2}, "training": {"steps": 2}}


@pytest.fixture(scope="module")
def network() -> SegmentedNetwork:
    torch.manual_seed(0)
    return SegmentedNetwork(load_weights(SEQUENCE_WEIGHTS)).eval()


@pytest.fixture(scope="module")
def heard(speech: Speech) -> np.ndarray:
    """The network's input, (K, BANDS)."""
    frames = features(speech[0])
    return frames[: len(frames) // ROWS * ROWS]


def test_without_ends_it_is_the_network_that_ships(
    network: SegmentedNetwork, heard: np.ndarray
) -> None:
    with torch.no_grad():
        found = network(torch.from_numpy(heard)[None], torch.zeros(1, len(heard) // ROWS))[1][0]
    assert found.numpy() == pytest.approx(sequence_scores(heard), abs=2e-3)


def test_a_segment_is_known_when_it_has_ended(network: SegmentedNetwork, heard: np.ndarray) -> None:
    """Later sound changes its scores no more, and changes them where no segment ends."""
    stop = 20  # times 40 ms
    later = heard.copy()
    later[(stop + 1) * ROWS :] += 1.0
    for ended in (1.0, 0.0):
        ends = torch.zeros(1, len(heard) // ROWS)
        ends[0, stop - 1] = ended
        with torch.no_grad():
            before, after = (network(torch.from_numpy(x)[None], ends)[1][0] for x in (heard, later))
        same = torch.allclose(before[: stop * SLOWER], after[: stop * SLOWER], atol=1e-3)
        assert same == bool(ended)


def test_decisions_are_causal_and_learn_from_the_task(
    network: SegmentedNetwork, heard: np.ndarray
) -> None:
    frames = torch.from_numpy(heard)[None]
    known = network.boundary(frames[:, : 30 * ROWS])
    chances = network.boundary(frames)
    assert torch.allclose(chances[:, :30], known, atol=1e-6)
    network(frames, chances)[1].square().mean().backward()
    gradient = network.boundary.last.weight.grad
    assert gradient is not None and gradient.abs().sum() > 0


def test_the_number_of_segments_is_drawn_to_that_of_words() -> None:
    ends = torch.zeros(2, 12)
    ends[:, [2, 5, 8, 11]] = 1.0
    assert float(number_loss(ends, torch.tensor([4, 4]))) == 0.0
    assert float(number_loss(ends, torch.tensor([2, 4]))) == 0.5


def test_segments_end_in_pauses_or_after_two_seconds() -> None:
    silent = np.zeros(2 * LONGEST, bool)
    silent[[4, 5, 6, 7, 8]] = True
    assert np.flatnonzero(pause_ends(silent)).tolist() == [6, 6 + LONGEST]


@pytest.mark.parametrize("kind", ["fixed", "pauses"])
def test_streamed_scores_come_once_their_segment_has_ended(
    kind: str, network: SegmentedNetwork, speech: Speech
) -> None:
    """And say nearly what the whole recording's do, frame by frame."""
    scores, parts, known = SegmentedScores(kind, network), [], 0
    for first in range(0, len(speech[0]), 3200):
        parts.append(scores.hear(speech[0][first : first + 3200]))
        known += len(parts[-1])
        assert known % SLOWER == 0 and known * 160 <= first + 3200
    found = np.concatenate([*parts, scores.hear(np.zeros(0), last=True)])
    whole = sequence_scores(features(speech[0]))[: len(found)]
    assert abs(len(found) - len(speech[0]) / 160) <= 2
    assert np.mean(found.argmax(1)[: len(whole)] == whole.argmax(1)) > 0.75


def test_words_that_end_are_counted(speech: Speech, aligned: Alignment) -> None:
    training = SegmentTraining(CONFIG, [Example.of(speech[0], aligned)])
    inputs, phones, words = training.drawn(0)
    assert phones[phones != 255].max() < 40 and 4 <= words.min() <= words.max() <= 20
    found = training.losses(0)
    assert found["total"].isfinite() and "number" in found and inputs.shape[0] == 2


@pytest.mark.slow
def test_all_stages(tmp_path: Path, arctic: Path, speech: Speech, aligned: Alignment) -> None:
    """One sentence to learn from, and as two clips of a reader who is held out."""
    corpora = tmp_path / "corpora"
    names = HELD_OUT.read_text(encoding="utf-8").split()
    held = [name for name in names if name.startswith(REPORTING[0])][:2]
    for name in (*held, "1-1-0000"):
        reader, chapter, _ = name.split("-")
        folder = corpora / "LibriSpeech" / "dev-clean" / reader / chapter
        folder.mkdir(parents=True, exist_ok=True)
        soundfile.write(folder / f"{name}.wav", *speech)
        with open(folder / f"{reader}-{chapter}.trans.txt", "a", encoding="utf-8") as file:
            file.write(f"{name} AND YOU ALWAYS WANT TO SEE IT IN THE SUPERLATIVE DEGREE\n")
    entry = {"path": "LibriSpeech/dev-clean/1/1/1-1-0000.wav", "alignment": aligned.to_json()}
    (corpora / "alignments.jsonl").write_text(json.dumps(entry) + "\n", encoding="utf-8")
    options = ["--corpora", corpora, "--work", tmp_path / "work", "--settled", "0.4"]
    options += ["--streams", "1", "--row_minutes", "1", "--steps", "2"]
    done = run("live", *options)
    assert done.returncode == 0, done.stderr
    for row in ("offline", "live, 0.4 s", "segments diseg, 0.4 s", "segments pauses, 0.4 s"):
        assert f"| {row} " in done.stdout
