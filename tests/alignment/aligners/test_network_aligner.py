"""The network aligner covers the recording and finds unwritten speech."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from a3t.text.transcript import Transcript
from alignment import Alignment
from alignment.aligner import aligner_version
from alignment.aligners import network_aligner
from alignment.aligners.network_aligner import NetworkAligner, best_path, last_said, searched
from alignment.long.whole import align_long
from alignment.network.graph import REPEAT, SILENCE, WORD, State, Visit
from alignment.network.phone_network import INDEX, SYMBOLS
from alignment.result import PAUSE
from alignment.waveform import model_waveform
from tests.alignment.aligners.pocketsphinx_reference import force_align
from tests.alignment.conftest import Lookup, Speech

LABELS = Path(__file__).parents[1] / "labels"


def test_every_word_has_one_of_its_pronunciations_and_all_is_covered(
    aligned: Alignment, speech: Speech, words: Sequence[str], lookup: Lookup
) -> None:
    assert tuple(word.text for word in aligned.spoken) == tuple(words)
    for word in aligned.spoken:
        assert [phone.symbol for phone in word.phones] in lookup(words)[word.text]
    clock = 0.0
    for phone in aligned.phones:
        assert phone.start == clock
        assert phone.end > phone.start
        clock = phone.end
    assert clock == pytest.approx(len(speech[0]) / speech[1])
    assert not any(word.unwritten for word in aligned.words)


def test_the_larger_network_decides_what_the_smaller_one_leaves_open() -> None:
    either = [[("M", "AE1", "N"), ("R", "AE1", "N")]]
    frames = 10
    even = np.zeros((3 * frames, len(SYMBOLS)))
    even[:frames, [INDEX["M"], INDEX["R"]]] = 9.0
    even[frames : 2 * frames, INDEX["AE"]] = 9.0
    even[2 * frames :, INDEX["N"]] = 9.0
    for number, symbol in enumerate(("M", "R")):
        sequences = np.zeros_like(even)
        sequences[:frames, INDEX[symbol]] = 1.0
        found = best_path(either, searched(even, sequences))
        assert found is not None
        assert {visit.state.pronunciation for visit in found} == {number}
        assert [visit.start for visit in found] == [0, frames, 2 * frames]


def test_it_agrees_with_pocketsphinx(
    aligned: Alignment, speech: Speech, words: Sequence[str], lookup: Lookup
) -> None:
    pytest.importorskip("pocketsphinx", reason="PocketSphinx is not installed")
    plain = [
        [tuple(phone.rstrip("012") for phone in way) for way in lookup(words)[word]]
        for word in words
    ]
    reference = force_align(model_waveform(*speech), plain)
    theirs = [start for word in reference for start in word.starts]
    ours = [phone.start for word in aligned.spoken for phone in word.phones]
    apart = np.abs(np.array(ours) - np.array(theirs))
    assert np.median(apart) < 0.015
    assert apart.max() < 0.06
    assert aligned.score > 0.9
    assert min(word.score for word in aligned.spoken) > 0.5


@pytest.mark.usefixtures("nothing_remembered")
def test_the_same_recording_gives_the_same(
    aligned: Alignment, speech: Speech, words: Sequence[str], lookup: Lookup
) -> None:
    aligner = NetworkAligner()
    aligner.align(speech[0][::-1], speech[1], words, lookup(words), check=False)
    assert aligner.align(*speech, words, lookup(words)) == aligned


def test_a_repetition_is_named_and_moves_nothing(
    aligned: Alignment, speech: Speech, words: Sequence[str], lookup: Lookup
) -> None:
    """The words "want to" are said twice."""
    samples, rate = speech
    first, last = aligned.spoken[3], aligned.spoken[4]
    again = samples[round(first.start * rate) : round(last.end * rate)]
    at = round(last.end * rate)
    longer = np.concatenate([samples[:at], again, samples[at:]])
    result = NetworkAligner().align(longer, rate, words, lookup(words))
    assert "<repeat>" in {word.unwritten for word in result.words}
    seconds = len(again) / rate
    for k, (before, after) in enumerate(zip(aligned.spoken, result.spoken, strict=True)):
        if k not in (3, 4):  # either of the two can be the repetition
            shift = seconds if k > 4 else 0.0
            assert after.start == pytest.approx(before.start + shift, abs=0.06)
            assert after.end == pytest.approx(before.end + shift, abs=0.06)


def stretched(samples: np.ndarray, rate: float) -> np.ndarray:
    """The same sound at ``rate`` times the speed, by a phase vocoder."""
    from scipy.signal import istft, stft

    spectra = np.pad(stft(samples, nperseg=512, noverlap=448)[2], ((0, 0), (0, 2)))
    places = np.arange(0, spectra.shape[1] - 2, rate)
    old, new = spectra[:, places.astype(int)], spectra[:, places.astype(int) + 1]
    sizes = (1 - places % 1) * abs(old) + places % 1 * abs(new)
    steps = np.angle(new) - np.angle(old)
    phases = np.angle(spectra[:, :1]) + np.cumsum(steps, axis=1) - steps
    sound = istft(sizes * np.exp(1j * phases), nperseg=512, noverlap=448)[1]
    return sound[: round(len(samples) / rate)]  # type: ignore[no-any-return]


@pytest.mark.parametrize("number", [3, 7])
def test_a_vowel_that_is_held_belongs_to_its_word(
    number: int, aligned: Alignment, speech: Speech, words: Sequence[str], lookup: Lookup
) -> None:
    """Half a second of it, wavering: nothing unwritten stands beside "want" or "in"."""
    samples, rate = speech
    vowel = next(p for p in aligned.spoken[number].phones if p.symbol[-1].isdigit())
    first, stop = round(vowel.start * rate), round(vowel.end * rate)
    count = round(0.45 * rate)
    padded = np.pad(samples[first:stop], 256, mode="reflect")
    longer = stretched(padded, (stop - first) / count)
    begin = (len(longer) - count) // 2
    wave = 0.55 + 0.45 * np.cos(2 * np.pi * 6 * np.arange(count) / rate)
    held = (longer[begin : begin + count] * wave).astype(np.float32)
    changed = np.concatenate([samples[:first], held, samples[stop:]])
    result = NetworkAligner().align(changed, rate, words, lookup(words))
    assert not any(word.unwritten for word in result.words)
    assert result.spoken[number].duration > 0.4


def test_noise_between_words_is_not_a_word(
    aligned: Alignment, speech: Speech, words: Sequence[str], lookup: Lookup
) -> None:
    samples, rate = speech
    at = round(aligned.spoken[5].end * rate)
    burst = np.random.default_rng(0).normal(0, 0.05, round(0.5 * rate)).astype(np.float32)
    result = NetworkAligner().align(
        np.concatenate([samples[:at], burst, samples[at:]]), rate, words, lookup(words)
    )
    for k, (before, after) in enumerate(zip(aligned.spoken, result.spoken, strict=True)):
        shift = 0.5 if k > 5 else 0.0
        assert after.start == pytest.approx(before.start + shift, abs=0.1)


@pytest.mark.parametrize("seconds", [1.2, 2.5])
@pytest.mark.parametrize("level", [0.01, 0.05, 0.2])
def test_white_noise_is_not_called_speech(
    level: float, seconds: float, speech: Speech, words: Sequence[str], lookup: Lookup
) -> None:
    """Before the words, among them and after them, below their level and above it."""
    samples, rate = speech
    noise = np.random.default_rng(0).normal(0, level, round(seconds * rate)).astype(np.float32)
    parts = [noise, samples, noise, samples, noise]
    twice = (*words, *words)
    result = NetworkAligner().align(np.concatenate(parts), rate, twice, lookup(twice), check=False)
    assert "<speech>" not in {word.unwritten for word in result.words}


def test_missing_sentences_are_speech_and_drag_no_words_in(lookup: Lookup) -> None:
    read = [soundfile.read(str(LABELS / f"0{k}.opus"), dtype="float32") for k in range(1, 7)]
    rate = read[0][1]
    room = np.zeros(round(0.3 * rate), np.float32)
    sounds = [np.concatenate([sound / np.abs(sound).max() / 2, room]) for sound, _ in read]
    texts = [(LABELS / f"0{k}.txt").read_text(encoding="utf-8") for k in range(1, 7)]
    first, last = (Transcript.from_text(texts[k]).spoken for k in (0, 5))
    said = (*first, *last)
    samples = np.concatenate(sounds)
    result = NetworkAligner().align(samples, rate, said, lookup(said), check=False)
    begin, end = len(sounds[0]) / rate, len(samples) / rate - len(sounds[5]) / rate
    assert all(word.end <= begin for word in result.spoken[: len(first)])
    assert all(word.start >= end for word in result.spoken[len(first) :])
    named = [word for word in result.words if word.unwritten and word.duration >= 1.0]
    assert {word.unwritten for word in named} == {"<speech>"}


def test_phones_may_be_short_where_time_is_short(
    speech: Speech, words: Sequence[str], lookup: Lookup
) -> None:
    """Twice as fast as anyone speaks, it is still an alignment."""
    samples, rate = speech[0][::3], speech[1]
    result = NetworkAligner().align(samples, rate, words, lookup(words), check=False)
    assert len(result.spoken) == len(words)


def test_a_piece_is_not_cut_up_again(
    words: Sequence[str], lookup: Lookup, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def counted(*arguments: Any) -> Alignment:
        calls.append(1)
        return align_long(*arguments)

    monkeypatch.setattr(network_aligner, "align_long", counted)
    monkeypatch.setattr(network_aligner, "LONG_S", 15.0)
    noise = 0.1 * np.random.default_rng(0).standard_normal(20 * 16000)  # nothing to cut it at
    result = NetworkAligner().align(noise, 16000, words, lookup(words), check=False)
    assert len(calls) == 1
    assert [word.text for word in result.spoken] == list(words)


def test_of_a_word_said_again_at_once_the_second_is_the_texts() -> None:
    """It stood alone, and was begun again as part of what follows."""

    def visits(*parts: tuple[int, str, int, int]) -> list[Visit]:
        return [
            Visit(State(kind, INDEX[symbol], word, way), 10 * k, 10 * (k + 1))
            for k, (kind, symbol, word, way) in enumerate(parts)
        ]

    said = visits(
        (SILENCE, PAUSE, 0, 0), (WORD, "AA", 0, 0), (SILENCE, PAUSE, 1, 0),
        (REPEAT, "AO", 1, 2), (WORD, "M", 1, 0),
    )  # fmt: skip
    kept = last_said(said)
    assert [(v.start, v.stop) for v in kept] == [(v.start, v.stop) for v in said]
    assert [v.state.kind for v in kept] == [SILENCE, REPEAT, SILENCE, WORD, WORD]
    assert (kept[3].state.word, kept[3].state.pronunciation) == (0, 1)  # its second, as it was said
    begun = [v if k != 3 else v._replace(state=v.state._replace(pronunciation=0))
             for k, v in enumerate(said)]  # fmt: skip
    assert last_said(begun) == begun  # of the next word, not of that one


NAMES = ("code.py", "network/weights.safetensors", "README.md")


def written(folder: Path, changed: str = "") -> Path:
    for name in NAMES:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("second" if name == changed else "first")
    return folder


def test_the_version_changes_with_what_alignments_depend_on(tmp_path: Path) -> None:
    first, again = (
        aligner_version(written(tmp_path / "first")),
        aligner_version(written(tmp_path / "again")),
    )
    others = {name: aligner_version(written(tmp_path / name, name)) for name in NAMES}
    assert first == again == others["README.md"]
    assert len({first, others["code.py"], others["network/weights.safetensors"]}) == 3
