"""Corpora in their native layouts, their splits, and what is left out."""

import os
from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.errors import InputError
from training.corpora import read_corpora
from training.corpora.kaldi import read_list
from training.corpora.layouts import READERS, Utterance
from training.corpora.left_out import LeftOut
from training.corpora.prepare import main, prepare, read, read_names, split

RECIPES = Path(__file__).parents[3] / "recipes"
CORPORA = os.environ.get("A3T_CORPORA")
with_corpora = pytest.mark.skipif(not CORPORA, reason="A3T_CORPORA is not set")


def touch(path: Path, text: str | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text or "")


def ljspeech(folder: Path, clips: int) -> None:
    lines = [f"LJ001-{k:04d}|Nr. {k}|Number {k}" for k in range(1, clips + 1)]
    touch(folder / "metadata.csv", "\n".join(lines))
    for k in range(1, clips + 1):
        touch(folder / "wavs" / f"LJ001-{k:04d}.wav")


def vctk(folder: Path, speakers: dict[str, int], trimmed: bool) -> None:
    for speaker, clips in speakers.items():
        for k in range(1, clips + 1):
            stem = f"{speaker}_{k:03d}"
            touch(folder / "txt" / speaker / f"{stem}.txt", f"Sentence {k}.")
            if trimmed:
                for microphone in ("mic1", "mic2"):
                    name = f"{stem}_{microphone}.flac"
                    touch(folder / "wav48_silence_trimmed" / speaker / name)
            else:
                touch(folder / "wav48" / speaker / f"{stem}.wav")


def names(folder: Path) -> list[str]:
    return list(read_list(folder / "text"))


def test_ljspeech_holds_out_its_last_clips(tmp_path: Path) -> None:
    ljspeech(tmp_path / "lj", 620)
    prepare("ljspeech", tmp_path / "lj", tmp_path / "data")
    sizes = {name: len(names(tmp_path / "data" / name)) for name in ("train", "dev", "test")}
    assert sizes == {"train": 120, "dev": 250, "test": 250}
    assert names(tmp_path / "data" / "test")[-1] == "LJ001-0620"
    assert names(tmp_path / "data" / "dev")[0] == "LJ001-0121"
    assert read_list(tmp_path / "data" / "train" / "text")["LJ001-0007"] == "Number 7"


@pytest.mark.parametrize("trimmed", [False, True], ids=["0.80", "0.92"])
def test_vctk_in_both_releases(tmp_path: Path, trimmed: bool) -> None:
    vctk(tmp_path / "vctk", {"p225": 14, "p226": 12, "p300": 3, "p315": 12, "p326": 12}, trimmed)
    data = tmp_path / "data"
    prepare("vctk", tmp_path / "vctk", data, unseen=frozenset({"p326", "p999"}))
    assert names(data / "dev") == [f"p225_{k:03d}" for k in range(5, 10)] + [
        f"p226_{k:03d}" for k in range(3, 8)
    ]
    assert names(data / "test")[:5] == [f"p225_{k:03d}" for k in range(10, 15)]
    assert {name[:4] for name in names(data / "test_unseen")} == {"p326"}
    train = names(data / "train")
    assert {name[:4] for name in train} == {"p225", "p226", "p300"}
    assert sum(name.startswith("p300") for name in train) == 3
    sound = read_list(data / "train" / "wav.scp")["p225_001"]
    assert sound.endswith("p225_001_mic1.flac" if trimmed else "p225_001.wav")
    left_out = (data / "left-out.tsv").read_text()
    assert "p300\tspeaker with too few clips" in left_out
    assert "p315\tspeaker without texts" in left_out
    assert "p999\tunseen speaker who is not in the corpus" in left_out


def test_one_voice_alone(tmp_path: Path) -> None:
    vctk(tmp_path / "vctk", {"p225": 14, "p226": 12}, trimmed=True)
    prepare("vctk", tmp_path / "vctk", tmp_path / "data", dev=2, test=2, voice="p226")
    speakers = {
        speaker
        for folder in (tmp_path / "data").iterdir()
        if folder.is_dir()
        for speaker in read_list(folder / "utt2spk").values()
    }
    assert speakers == {"p226"} and len(names(tmp_path / "data" / "train")) == 8
    (tmp_path / "data" / "test_unseen").mkdir()  # of an earlier choice
    prepare("vctk", tmp_path / "vctk", tmp_path / "data", dev=2, test=2, voice="p226")
    assert not (tmp_path / "data" / "test_unseen").exists()
    with pytest.raises(InputError, match="no speaker p999: there are p225, p226"):
        prepare("vctk", tmp_path / "vctk", tmp_path / "other", voice="p999")


def test_libritts_in_its_subsets(tmp_path: Path) -> None:
    for subset, speaker in (("train-clean-100", "19"), ("dev-clean", "84"), ("test-clean", "61")):
        stem = tmp_path / "LibriTTS" / subset / speaker / "198" / f"{speaker}_198_000000_000000"
        touch(stem.with_name(stem.name + ".wav"))
        touch(stem.with_name(stem.name + ".normalized.txt"), "He said:  yes.\n")
        touch(stem.with_name(stem.name + ".original.txt"), "He said: yes.\n")
    prepare("libritts", tmp_path / "LibriTTS", tmp_path / "data")
    assert names(tmp_path / "data" / "dev") == ["84_198_000000_000000"]
    assert read_list(tmp_path / "data" / "test" / "utt2spk") == {"61_198_000000_000000": "61"}
    assert read_list(tmp_path / "data" / "train" / "text").popitem()[1] == "He said: yes."


def test_librispeech_transcripts(tmp_path: Path) -> None:
    chapter = tmp_path / "train-clean-5" / "1088" / "134315"
    touch(chapter / "1088-134315.trans.txt", "1088-134315-0000 AS YOU KNOW\n")
    touch(chapter / "1088-134315-0000.flac")
    (found,) = read("libritts", tmp_path)
    assert (found.name, found.speaker, found.text) == ("1088-134315-0000", "1088", "AS YOU KNOW")
    assert found.subset == "train-clean-5"


def test_a_clip_without_text_and_a_text_without_clip_are_named(tmp_path: Path) -> None:
    ljspeech(tmp_path / "lj", 12)
    (tmp_path / "lj" / "wavs" / "LJ001-0003.wav").unlink()
    touch(tmp_path / "lj" / "wavs" / "LJ009-0001.wav")
    said = prepare("ljspeech", tmp_path / "lj", tmp_path / "data", dev=2, test=2)
    assert said == "7 train, 2 dev, 2 test; left out: 1 without sound, 1 without text"
    left_out = (tmp_path / "data" / "left-out.tsv").read_text().splitlines()
    assert left_out[0].startswith("LJ001-0003\twithout sound")
    assert left_out[1].startswith("LJ009-0001\twithout text")


def test_lists_are_sorted_and_agree(tmp_path: Path) -> None:
    vctk(tmp_path / "vctk", {"p226": 12, "p225": 12}, trimmed=False)
    prepare("vctk", tmp_path / "vctk", tmp_path / "data")
    train = tmp_path / "data" / "train"
    lists = [list(read_list(train / name)) for name in ("wav.scp", "text", "utt2spk")]
    assert lists[0] == lists[1] == lists[2] == sorted(lists[0])
    speakers = read_list(train / "spk2utt")
    assert list(speakers) == ["p225", "p226"]
    assert sorted(" ".join(speakers.values()).split()) == lists[0]


def test_a_split_of_nothing_is_refused(tmp_path: Path) -> None:
    ljspeech(tmp_path / "lj", 9)
    given = ("ljspeech", tmp_path / "lj", tmp_path / "data")
    for sizes, name in (((0, 0), "dev"), ((2, 0), "test")):
        with pytest.raises(InputError, match=f"is left for {name}: every split"):
            prepare(*given, *sizes)
    with pytest.raises(InputError, match="mini has a split of its own"):
        split("mini", [], 1, None, frozenset(), LeftOut())


def test_too_small_a_corpus_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ljspeech(tmp_path / "lj", 20)
    assert main(["ljspeech", str(tmp_path / "lj"), str(tmp_path / "data")]) == 1
    assert "--dev and --test" in capsys.readouterr().err
    with pytest.raises(InputError, match="download the corpus"):
        read("vctk", tmp_path / "nowhere")


def test_the_unseen_speakers_of_vctk_are_the_authors() -> None:
    unseen = read_names(RECIPES / "vctk" / "conf" / "unseen_speakers.txt")
    assert unseen == {f"p{number}" for number in range(228, 234)}


@with_corpora
@pytest.mark.parametrize(
    ("corpus", "folder", "clips"),
    [
        ("ljspeech", "LJSpeech-1.1", 355),
        ("vctk", "VCTK-Corpus", 473),
        ("libritts", "LibriSpeech", 1464),
    ],
)
def test_real_pieces_are_read_whole(corpus: str, folder: str, clips: int) -> None:
    found = read(corpus, Path(CORPORA or "") / folder)
    assert sum(1 for utterance in found if utterance.sound and utterance.text) == clips
    assert len({utterance.name for utterance in found}) == len(found)


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_common_voice(tmp_path: Path) -> None:
    rows = ["client_id\tpath\tsentence", 'abcdef0123456789\ta.mp3\tHe said "yes".', "b\tc.mp3\tNo."]
    write(tmp_path / "validated.tsv", "\n".join(rows))
    sound = write(tmp_path / "clips" / "a.opus")
    assert list(READERS["commonvoice"](tmp_path)) == [
        Utterance("a", "abcdef012345", sound, 'He said "yes".'),
        Utterance("c", "b", None, "No."),
    ]


def test_speechocean(tmp_path: Path) -> None:
    for part, speaker in (("train", "0001"), ("test", "0003")):
        write(tmp_path / part / "wav.scp", f"00{speaker}\tWAVE/SPEAKER{speaker}/{speaker}7.WAV\n")
        write(tmp_path / part / "text", f"00{speaker}\tWE CALL  IT BEAR\n")
    sound = write(tmp_path / "WAVE" / "SPEAKER0001" / "00017.WAV")
    assert list(READERS["speechocean"](tmp_path)) == [
        Utterance("00017", "SPEAKER0001", sound, "WE CALL IT BEAR", "train"),
        Utterance("00037", "SPEAKER0003", None, "WE CALL IT BEAR", "test"),
    ]


def test_a_sound_in_several_containers_is_read_once(tmp_path: Path) -> None:
    data = tmp_path / "kathleen" / "data"
    write(data / "one.txt", "Hello.")
    for suffix in (".wav", ".flac"):
        soundfile.write(data / f"one{suffix}", np.zeros(800), 16_000)
    (clip,) = read_corpora(tmp_path)
    assert (clip.path.suffix, clip.voice, clip.seconds) == (".flac", "kathleen-kathleen", 0.05)
