"""Properties of every system that A3T is compared with, and EditSpeech's own."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from a3t.errors import InputError
from a3t.learning.loop import CHECKPOINT
from a3t.model.a3t import A3T
from evaluation.systems.editspeech import (
    EditSpeechNetwork,
    EditSpeechSystem,
    FrameDecoder,
    fuse,
    reverse,
)
from evaluation.systems.fastspeech2 import EditedWords, FastSpeech2System, WholeSentence
from evaluation.systems.interface import Gap, Mel, System
from evaluation.systems.named import FLOORS, RUNS, base_name, runs_in, systems_in
from evaluation.systems.networks import A3TSystem, around
from evaluation.systems.simple import Interpolation, MeanSpectrum
from evaluation.systems.speech_batches import SpeechBatch, SpeechBatches, phone_means
from tests.evaluation.conftest import make_gap
from tests.training.stores import write_store


class Speaks(torch.nn.Module):
    """Speech whose every frame holds the phone's id: a stand-in for FastSpeech 2's network."""

    def speak(self, sentence: object) -> torch.Tensor:
        phones, durations = sentence.phones[0], sentence.durations[0]  # type: ignore[attr-defined]
        return phones.repeat_interleave(durations).float()[:, None].expand(-1, 80)


BASELINES = (WholeSentence, EditedWords, FastSpeech2System)


def small_editspeech() -> EditSpeechNetwork:
    torch.manual_seed(3)
    return EditSpeechNetwork(width=16, hidden=16, prenet=8, postnet=8)


def systems() -> list[System]:
    torch.manual_seed(0)
    tiny = A3T(width=16, hidden=32, encoder_blocks=1, decoder_blocks=1, postnet_channels=8)
    network = Speaks()
    return [
        MeanSpectrum(), Interpolation(), A3TSystem(tiny), A3TSystem(tiny, "MAM", speech_only=True),
        EditSpeechSystem(small_editspeech()),
        *(kind(network, kind.__name__) for kind in BASELINES),  # type: ignore[arg-type]
    ]  # fmt: skip


@pytest.mark.parametrize("system", systems(), ids=lambda system: system.name)
@pytest.mark.parametrize("span", [(3, 6), (0, 2), (6, 9)])
def test_a_system_fills_the_gap_and_never_sees_what_was_there(
    system: System, span: tuple[int, int]
) -> None:
    gap = make_gap(*span)
    output = system.output(gap)
    assert output.mel is not None and output.mel.shape == gap.mel.shape
    assert output.region == gap.frame_span
    assert np.isfinite(output.mel).all()
    spoilt = gap.mel.copy()
    spoilt[slice(*gap.frame_span)] = 9.0
    hidden = replace(gap, mel=spoilt)
    hidden.__dict__["voice"] = gap.voice
    np.testing.assert_array_equal(system.fill(hidden), system.fill(gap))
    if output.made == gap.frame_span:
        outside = np.ones(len(gap.mel), bool)
        outside[slice(*gap.frame_span)] = False
        np.testing.assert_array_equal(output.mel[outside], gap.mel[outside])


def test_a_wrong_length_or_a_nan_is_named() -> None:
    class Wrong(MeanSpectrum):
        def fill(self, gap: Gap) -> Mel:
            return super().fill(gap)[1:]

    class Broken(MeanSpectrum):
        def fill(self, gap: Gap) -> Mel:
            return super().fill(gap) * np.nan

    for system in (Wrong(), Broken()):
        with pytest.raises(InputError, match="one: mean spectrum gave"):
            system.output(make_gap())


def test_baselines_put_speech_where_the_thesis_says() -> None:
    gap = make_gap()
    network: object = Speaks()
    first, last = gap.frame_span
    true = gap.phones[gap.frame_phone[first:last]]
    for kind in BASELINES:
        np.testing.assert_array_equal(kind(network).fill(gap)[:, 0], true)  # type: ignore[arg-type]
    whole = WholeSentence(network).output(gap)  # type: ignore[arg-type]
    assert whole.made == (0, len(gap.mel)) and whole.mel is not None
    spoken = gap.frame_phone >= 0
    np.testing.assert_array_equal(whole.mel[spoken, 0], gap.phones[gap.frame_phone[spoken]])
    # A gap that ends within phones, as an edit's margins do.
    wider = replace(gap, frame_span=(first - 2, last + 1))
    wider.__dict__["voice"] = gap.voice
    found = EditedWords(network).fill(wider)[:, 0]  # type: ignore[arg-type]
    np.testing.assert_array_equal(found, gap.phones[gap.frame_phone[first - 2 : last + 1]])


def test_a_network_is_shown_no_more_than_it_was_trained_on() -> None:
    gap = make_gap()
    torch.manual_seed(0)
    tiny = A3T(width=16, hidden=32, encoder_blocks=1, decoder_blocks=1, postnet_channels=8).eval()
    left, right = around(gap, 40)
    first, last = gap.frame_span
    assert left <= first and last <= right and right - left <= max(40, gap.length)
    edges = {0, *gap.durations.cumsum().tolist(), len(gap.mel)}
    assert {left, right} <= edges and (left, right) != (0, len(gap.mel))
    assert around(gap, 1) == gap.frame_span and around(gap, 1000) == (0, len(gap.mel))
    # What is farther away makes no difference; what is nearer does.
    near, far = gap.mel.copy(), gap.mel.copy()
    far[:left], far[right:] = 5.0, 5.0
    near[left] += 1.0
    system = A3TSystem(tiny, longest=40)
    filled = system.fill(gap)
    np.testing.assert_array_equal(system.fill(replace(gap, mel=far)), filled)
    assert np.abs(system.fill(replace(gap, mel=near)) - filled).max() > 1e-4
    whole = A3TSystem(tiny, longest=len(gap.mel) + gap.length).fill(gap)
    np.testing.assert_array_equal(whole, A3TSystem(tiny).fill(gap))


def test_trainings_from_other_seeds_are_systems_of_their_own(tmp_path: Path) -> None:
    for name in ("a3t_thesis", "a3t_thesis.1", "a3t_thesis.2", "mam"):
        (tmp_path / name).mkdir()
        (tmp_path / name / CHECKPOINT).touch()
    (tmp_path / "a3t_thesis.3").mkdir()  # not trained
    for name in ("own", "own.20261129-101112", "durations"):  # a kept training is no seed
        (tmp_path / name).mkdir()
        (tmp_path / name / CHECKPOINT).touch()
    first = RUNS["a3t_thesis"]
    found = runs_in(tmp_path)
    assert list(found) == [first, f"{first}, seed 1", f"{first}, seed 2", RUNS["mam"], "own"]
    assert found[f"{first}, seed 2"] == tmp_path / "a3t_thesis.2"
    assert {base_name(name) for name in found} == {first, RUNS["mam"], "own"}
    assert [name for name, folder in systems_in(tmp_path).items() if folder is None] == [*FLOORS]


def test_a_decoder_does_not_see_the_future() -> None:
    torch.manual_seed(0)
    decoder = FrameDecoder(8, 12, 6, 6, 0.0)
    mel, held = torch.randn(1, 20, 80), torch.randn(1, 20, 8)
    changed = mel.clone()
    changed[:, 12:] += 1
    one, two = decoder(held, mel), decoder(held, changed)
    torch.testing.assert_close(one[:, :13], two[:, :13])
    assert not torch.allclose(one[:, 13:], two[:, 13:])


def test_free_decoding_equals_forced_decoding_of_its_own_frames() -> None:
    torch.manual_seed(0)
    decoder = FrameDecoder(8, 12, 6, 6, 0.0).eval()
    mel, held = torch.randn(1, 9, 80), torch.randn(1, 20, 8)
    made = decoder.go_on(held, mel)
    forced = decoder(held, torch.cat([mel, made], 1))
    torch.testing.assert_close(forced[:, 9:], made)


def test_reversal_leaves_padding_behind() -> None:
    x = torch.arange(12.0).reshape(2, 6, 1)
    frames = torch.tensor([6, 4])
    turned = reverse(x, frames)
    assert turned[1, :, 0].tolist() == [9, 8, 7, 6, 10, 11]
    torch.testing.assert_close(reverse(turned, frames), x)


def test_fusion_joins_where_both_are_nearest() -> None:
    right, left = torch.zeros(5, 80), torch.full((5, 80), 4.0)
    left[3] = 0.5
    assert fuse(right, left)[:, 0].tolist() == [0, 0, 0, 0.5, 4]


def speech_batch(path: Path) -> SpeechBatch:
    store = write_store(path, {"train": 3, "dev": 1}, pitch=True)
    vectors = {clip.name: np.ones(256, np.float32) for clip in store.clips}
    return SpeechBatches({"data": {"batch_frames": 900}}, store, vectors, train=True)(0)


def test_a_batch_for_speech_says_of_each_phone_what_its_frames_say(tmp_path: Path) -> None:
    batch = speech_batch(tmp_path)
    torch.testing.assert_close(batch.durations.sum(1), batch.frames)
    assert batch.voice.shape == (len(batch.mel), 256)
    values = torch.tensor([[1.0, 3.0, 0.0, 5.0, 9.0]])
    owner = torch.tensor([[0, 0, 1, 1, -1]])
    assert phone_means(values, owner, 3).tolist() == [[2.0, 2.5, 0.0]]
    assert phone_means(values, owner, 3, values > 0).tolist() == [[2.0, 5.0, 0.0]]


def test_clips_without_a_speaker_embedding_are_named(tmp_path: Path) -> None:
    store = write_store(tmp_path, {"train": 2}, pitch=True)
    with pytest.raises(InputError, match="2 clips have no speaker embedding"):
        SpeechBatches({}, store, {}, train=True)


def test_all_of_editspeech_is_trained(tmp_path: Path) -> None:
    network = small_editspeech()
    network(speech_batch(tmp_path))["total"].backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().max() > 0, name
