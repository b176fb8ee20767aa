"""Feature extraction: clips, bad clips among them, and existing alignments."""

import json
import lzma
import shutil
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from a3t.audio.analysis.mel import log_mel
from a3t.errors import InputError
from a3t.grid import SAMPLE_RATE
from a3t.text.phones import PHONES
from alignment import Alignment, AlignmentError, Phone, Word, pause
from alignment.aligners.montreal import MontrealAligner
from tests.conftest import ARCTIC
from tests.training.stores import made_up_clip
from training.corpora.decoding import SoundFile
from training.extract import extract, main
from training.features import clip_features as room
from training.features.clip_features import features
from training.features.given_alignments import read_alignments
from training.features.store import Store

RATE = 16_000


def make_alignment() -> Alignment:
    phones = (Phone("HH", 0.2, 0.3), Phone("AY1", 0.3, 0.8))
    return Alignment((pause(0.0, 0.2), Word("hi", 0.2, 0.8, 0.9, phones), pause(0.8, 1.0)), 1.0)


@pytest.mark.parametrize("name", ["alignments.jsonl", "alignments.jsonl.xz"])
def test_alignments_survive_writing_and_reading(name: str, tmp_path: Path) -> None:
    line = json.dumps({"path": "corpus/a.flac", "alignment": make_alignment().to_json()}) + "\n"
    data = line.encode()
    (tmp_path / name).write_bytes(lzma.compress(data) if name.endswith(".xz") else data)
    assert read_alignments(tmp_path / name) == {"corpus/a.flac": make_alignment()}


@pytest.mark.parametrize(
    "text", ["nonsense", '{"path": "a"}', '{"path": "a", "alignment": []}', "[" * 10_000]
)
def test_an_invalid_alignment_line_is_named(text: str, tmp_path: Path) -> None:
    good = json.dumps({"path": "a", "alignment": make_alignment().to_json()})
    (tmp_path / "a.jsonl").write_text(f"{good}\n{text}\n")
    with pytest.raises(InputError, match="Line 2"):
        read_alignments(tmp_path / "a.jsonl")


def test_a_missing_or_broken_file_gives_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read"):
        read_alignments(tmp_path / "none.jsonl")
    (tmp_path / "cut.jsonl.xz").write_bytes(lzma.compress(b"{}" * 1000)[:40])
    with pytest.raises(InputError, match="can't be read"):
        read_alignments(tmp_path / "cut.jsonl.xz")


def test_features_follow_a_given_alignment(tmp_path: Path) -> None:
    wave = np.random.default_rng(0).standard_normal(SAMPLE_RATE).astype(np.float32) * 0.1
    found = features(wave, make_alignment())
    assert found["durations"].tolist() == [16, 8, 40, 17]
    assert found["words"].tolist() == [-1, 0, 0, -1]
    sound = tmp_path / "corpus" / "a.wav"
    sound.parent.mkdir()
    soundfile.write(sound, wave, SAMPLE_RATE)
    data = kaldi(tmp_path / "data", {"a": (sound, "hi")})
    assert "1 clips" in extract(
        data, tmp_path / "out", alignments={"corpus/a.wav": make_alignment()}
    )
    store = Store(tmp_path / "out")
    assert store.read(store.clips[0]).durations.tolist() == [16, 8, 40, 17]
    soundfile.write(sound, wave[: SAMPLE_RATE // 2], SAMPLE_RATE)
    given = {"corpus/a.wav": make_alignment()}
    with pytest.raises(InputError, match="No clip"):
        extract(data, tmp_path / "other", alignments=given)
    assert "another recording" in (tmp_path / "other" / "left-out.tsv").read_text()


def kaldi(folder: Path, clips: dict[str, tuple[Path, str]]) -> Path:
    folder.mkdir(parents=True)
    (folder / "wav.scp").write_text("".join(f"{k} {v[0]}\n" for k, v in clips.items()))
    (folder / "text").write_text("".join(f"{k} {v[1]}\n" for k, v in clips.items() if v[1]))
    (folder / "utt2spk").write_text("".join(f"{k} awb\n" for k in clips))
    return folder


@pytest.fixture
def extracted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Clips are made up, and one breaks a library; the names of those that were extracted."""
    names: list[str] = []

    def made_up(job: room.Job) -> dict[str, np.ndarray]:
        if job.name == "bad":
            raise ZeroDivisionError("of a library")
        names.append(job.name)
        return made_up_clip(np.random.default_rng(len(job.text)), 0, 5, 5)

    monkeypatch.setattr(room, "extract_clip", made_up)
    return names


@pytest.fixture(scope="module")
def made(arctic: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One good clip among every kind of bad one; the features' folder."""
    base = tmp_path_factory.mktemp("features")
    samples, _ = soundfile.read(arctic)
    soundfile.write(base / "short.wav", samples[:800], RATE)  # 0.05 s
    soundfile.write(base / "long.wav", np.tile(samples, 10), RATE)  # 40 s
    noise = np.random.default_rng(0).normal(0, 0.05, 2 * RATE)
    soundfile.write(base / "noise.wav", noise, RATE)
    (base / "broken.wav").write_bytes(b"RIFF of no sound")
    clips = {
        "broken": (base / "broken.wav", "This can't be read."),
        "gone": (base / "gone.wav", "This is not there."),
        "good": (arctic, ARCTIC),
        "long": (base / "long.wav", ARCTIC),
        "noise": (base / "noise.wav", "Nobody says a word of this long sentence about rain."),
        "short": (base / "short.wav", "Yes."),
        "silent": (arctic, ""),
    }
    kaldi(base / "data" / "train", clips)
    kaldi(base / "data" / "dev", {"other": (arctic, ARCTIC)})
    options = ["--pitch", "--degraded", "2"]
    assert main([str(base / "data"), str(base / "out"), *options]) == 0
    return base / "out"


def test_bad_clips_are_named_and_the_rest_goes_on(made: Path) -> None:
    lines = (made / "train" / "left-out.tsv").read_text().splitlines()
    assert [line.split("\t")[:2] for line in lines] == [
        ["broken", "unreadable"],
        ["gone", "unreadable"],
        ["long", "too long"],
        ["noise", "not aligned"],
        ["short", "too short"],
        ["silent", "without text"],
    ]
    assert [(clip.name, clip.split) for clip in Store(made).clips] == [
        ("other", "dev"),
        ("good", "train"),
    ]


def test_features_belong_together_and_are_those_of_the_recording(made: Path, arctic: Path) -> None:
    store = Store(made)
    (clip,) = store.of_split("train")
    found = store.read(clip)
    assert clip.voice == "awb" and clip.score > 0.5
    assert len(found.phones) == len(found.durations) == len(found.words)
    assert found.durations.sum() == len(found.mel) and (found.durations > 0).all()
    assert found.words.max() == len(ARCTIC.split()) - 1
    assert next(PHONES[k] for k in found.phones[found.words == 2]) == "AO1"  # "always"
    assert found.pitch is not None and len(found.pitch) == len(found.mel)
    samples, _ = soundfile.read(arctic, dtype="float32")
    expected = log_mel(soxr.resample(samples, RATE, SAMPLE_RATE, quality="VHQ")).numpy()
    assert np.abs(found.mel - expected).mean() < 0.01
    assert store.copies([clip]) == 2 and store.copies(store.of_split("dev")) == 0
    assert np.abs(store.read(clip, copy=1).mel - found.mel).mean() > 0.01


def test_shards_that_several_machines_made_are_one_store(
    tmp_path: Path, arctic: Path, extracted: list[str]
) -> None:
    kaldi(tmp_path / "data" / "train", {str(k): (arctic, ARCTIC) for k in range(7)})
    for part in ("1/3", "2/3", "3/3"):
        options = [str(tmp_path / "data"), str(tmp_path / "out"), "--part", part]
        assert main(options) == 0
    store = Store(tmp_path / "out")
    assert sorted(clip.name for clip in store.of_split("train")) == [str(k) for k in range(7)]
    assert len(store.shards) == 3
    with pytest.raises(SystemExit):
        main([*options[:-1], "4/3"])
    listed = (tmp_path / "out" / "raw" / "train" / "utt2spk").read_text()
    assert listed == "".join(f"{k} awb\n" for k in range(7))


def test_parts_of_two_divisions_are_never_mixed(
    tmp_path: Path, arctic: Path, extracted: list[str], capsys: pytest.CaptureFixture
) -> None:
    kaldi(tmp_path / "data" / "train", {str(k): (arctic, ARCTIC) for k in range(4)})
    command = [str(tmp_path / "data"), str(tmp_path / "out")]
    assert main([*command, "--part", "1/2"]) == 0
    for other in ([], ["--part", "1/3"]):
        assert main([*command, *other]) == 1
        assert "another number of parts" in capsys.readouterr().err
    assert main([*command, "--part", "2/2"]) == 0


def test_a_split_that_is_no_longer_there_is_in_no_store(
    tmp_path: Path, arctic: Path, extracted: list[str]
) -> None:
    """As when one voice alone is taken after all: its store must not keep the others' clips."""
    for name in ("train", "test_unseen", "own"):
        kaldi(tmp_path / "data" / name, {name: (arctic, ARCTIC)})
    command = [str(tmp_path / "data"), str(tmp_path / "out")]
    assert main(command) == 0
    for name in ("test_unseen", "own"):
        shutil.rmtree(tmp_path / "data" / name)
    assert main(command) == 0
    kept = {path.name for path in (tmp_path / "out").iterdir()}
    assert kept == {"train", "own", "raw"}  # a folder of another name is somebody's own
    assert {clip.name for clip in Store(tmp_path / "out").clips} == {"train", "own"}


def test_the_lists_of_espnet_name_what_is_in_the_store(made: Path, arctic: Path) -> None:
    raw = made / "raw" / "train"
    assert (raw / "wav.scp").read_text() == f"good {arctic.resolve()}\n"
    assert (raw / "text").read_text() == f"good {ARCTIC}\n"
    assert (raw / "utt2spk").read_text() == "good awb\n"
    assert (raw / "spk2utt").read_text() == "awb good\n"
    (clip,) = Store(made / "train").clips
    assert (raw / "utt2num_frames").read_text() == f"good {clip.frames}\n"


def test_a_clip_is_done_again_when_what_it_is_made_of_has_changed(
    tmp_path: Path, arctic: Path, extracted: list[str]
) -> None:
    clips = dict.fromkeys("abc", (arctic, "Some text."))

    def run(number: int, aligner: str = "network") -> list[str]:
        extracted.clear()
        extract(kaldi(tmp_path / str(number), clips), tmp_path / "out", aligner)
        assert sorted(clip.name for clip in Store(tmp_path / "out").clips) == ["a", "b", "c"]
        return sorted(extracted)

    assert run(0) == ["a", "b", "c"] and run(1) == []
    clips["b"] = (arctic, "Another text.")
    assert run(2) == ["b"]
    longer = tmp_path / "longer.wav"
    longer.write_bytes(arctic.read_bytes() + b"more")
    clips["c"] = (longer, "Some text.")
    assert run(3) == ["c"] and run(4) == []


def test_finished_work_is_not_repeated(
    made: Path, extracted: list[str], tmp_path: Path, arctic: Path
) -> None:
    data = kaldi(tmp_path / "train", {"good": (arctic, ARCTIC)})
    assert "1 clips" in extract(data, made / "train", pitch=True, degraded=2)
    assert not extracted


def test_a_clip_that_breaks_a_library_is_left_out_like_any_other(
    tmp_path: Path, arctic: Path, extracted: list[str]
) -> None:
    data = kaldi(tmp_path / "data", {"bad": (arctic, ARCTIC), "good": (arctic, ARCTIC)})
    assert "1 clips" in extract(data, tmp_path / "out")
    assert (tmp_path / "out" / "left-out.tsv").read_text() == (
        "bad\tfailed\tZeroDivisionError: of a library\n"
    )


def test_a_missing_stage_and_a_missing_mfa_are_reported(
    tmp_path: Path,
    arctic: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert main([str(tmp_path / "none"), str(tmp_path / "out")]) == 1
    assert "run the previous stage" in capsys.readouterr().err
    data = kaldi(tmp_path / "data", {"good": (arctic, ARCTIC)})
    monkeypatch.setenv("A3T_MFA", str(tmp_path / "no-mfa"))
    room.named_aligner.cache_clear()
    assert main([str(data), str(tmp_path / "out"), "--aligner", "mfa"]) == 1
    assert "A3T_MFA" in capsys.readouterr().err


def test_mfa_runs_once_for_all_clips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str]] = []
    for name in "abc":
        soundfile.write(
            tmp_path / f"{name}.wav", np.random.default_rng(0).normal(0, 0.1, RATE), RATE
        )
    clips = {name: (tmp_path / f"{name}.wav", "hi") for name in "abc"}
    data = kaldi(tmp_path / "data", clips)

    def align_corpus(
        self: object, recordings: dict[str, tuple[SoundFile, list[str]]], said: object, jobs: int
    ) -> dict[str, Alignment | AlignmentError]:
        calls.append(list(recordings))
        assert all(
            len(sound.mono()) == sound.samples == SAMPLE_RATE for sound, _ in recordings.values()
        )
        found: list[Alignment | AlignmentError] = [
            make_alignment(),
            AlignmentError("no"),
            make_alignment(),
        ]
        return dict(zip(recordings, found, strict=True))

    monkeypatch.setattr("training.extract.named_aligner", lambda name: None)
    monkeypatch.setattr(MontrealAligner, "__init__", lambda self: None)
    monkeypatch.setattr(MontrealAligner, "align_corpus", align_corpus)
    summary = extract(data, tmp_path / "out", aligner="mfa")
    assert [len(call) for call in calls] == [3]
    assert ": 2 clips" in summary and "1 not aligned" in summary


def test_speech_without_text_is_stored_as_pauses_to_cut_between(
    tmp_path: Path, arctic: Path
) -> None:
    data = kaldi(tmp_path / "train", {"a": (arctic, ARCTIC)})
    (data / "text").unlink()
    assert "1 clips" in extract(data, tmp_path / "out", speech=True)
    store = Store(tmp_path / "out")
    read = store.read(store.clips[0])
    assert read.durations.sum() == len(read.mel) and (read.words == -1).all()
    assert set(read.durations[:-1].tolist()) == {8} and len(set(read.phones.tolist())) == 1
