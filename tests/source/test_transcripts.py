"""Sources of a transcript: given, beside the recording, or recognised."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from a3t.audio.reading.recording import Recording
from a3t.commands.align import main as align_main
from a3t.commands.options import text_argument
from a3t.commands.transcribe import main
from a3t.errors import InputError
from a3t.source.records import FoundTranscript
from a3t.source.transcripts import find_transcript, not_read, sidecar, text_of
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Alignment, Phone, Word, pause
from alignment.formats import write_alignment
from alignment.formats.text_file import read_text
from tests.conftest import ARCTIC

TEXT = "And you always want to see it, in the superlative degree."


def found(path: Path, given: str | None = None, new: str | None = None):  # type: ignore[no-untyped-def]
    said, prior = (Transcript.from_text(text) if text else None for text in (given, new))
    return find_transcript(Recording.open(path), said, prior, Pronouncer())


def labelled() -> Alignment:
    phones = (Phone("S", 0.5, 0.75), Phone("IY1", 0.75, 1.0))
    return Alignment((pause(0.0, 0.5), Word("see", 0.5, 1.0, 1.0, phones), pause(1.0, 4.0)), 4.0)


def test_the_given_text_wins(talk: Path) -> None:
    talk.with_suffix(".txt").write_text("Something else.")
    result = found(talk, TEXT)
    assert (result.origin, result.transcript.text, result.alignment) == ("given", TEXT, None)


@pytest.mark.parametrize("suffix", [".txt", ".lab"])
def test_a_text_beside_it(suffix: str, talk: Path) -> None:
    talk.with_suffix(suffix).write_text(f"\ufeff{TEXT}\n", encoding="utf-8")
    result = found(talk)
    assert result.origin == f"talk{suffix}"
    assert result.transcript.spoken == Transcript.from_text(TEXT).spoken
    assert result.alignment is None


def test_an_empty_file_beside_it_is_what_is_being_written(talk: Path) -> None:
    talk.with_suffix(".txt").touch()  # a3t transcribe talk.wav > talk.txt
    assert sidecar(talk) is None


@pytest.mark.parametrize("suffix", [".TextGrid", ".json", ".lab", ".txt"])
def test_a_sidecar_alignment_is_used(suffix: str, talk: Path) -> None:
    write_alignment(labelled(), talk.with_suffix(suffix))
    result = found(talk)
    assert result.origin == f"talk{suffix}"
    assert result.transcript.spoken == ("see",)
    assert result.alignment is not None
    assert result.alignment.spoken[0].start == pytest.approx(0.5)
    assert result.alignment.duration == pytest.approx(4.0)


@pytest.mark.slow
def test_else_it_is_recognised_with_the_new_text_as_prior(talk: Path) -> None:
    result = found(talk, new="And you always want to see it in the comparative degree.")
    assert result.origin == "recognised"
    assert "comparative" not in result.transcript.spoken
    # The ninth, just before the word that differs, is taken for another.
    assert result.transcript.spoken[:8] == Transcript.from_text(TEXT).spoken[:8]
    assert align_main([str(talk)]) == 0
    again = found(talk)  # the TextGrid that it wrote
    assert again.origin == "recognised" and again.alignment
    assert min(word.score for word in again.alignment.spoken) < 1


def test_files_that_hold_no_text(tmp_path: Path, talk: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "large").write_bytes(b"a" * 1_000_001)
    for name in ("binary", "large", "missing"):
        with pytest.raises(InputError, match=name):
            read_text(tmp_path / name)
    with pytest.raises(InputError, match="up to 100 kB"):
        read_text(tmp_path / "large", 100_000)
    talk.with_suffix(".srt").write_text("no cues")
    with pytest.raises(InputError, match=r"talk\.srt"):
        found(talk)


def test_a_json_beside_it_may_be_whispers(talk: Path) -> None:
    whispers = '{"segments": [{"text": " We met,"}, {"text": "twice."}], "language": "en"}'
    talk.with_suffix(".json").write_text(whispers)
    result = found(talk)
    assert (result.origin, result.transcript.text) == ("talk.json", "We met, twice.")


@pytest.mark.parametrize("content", ['{"version": 3}', "[1, 2]", "not json", "[" * 100_000])
def test_another_programs_json_is_left_alone(content: str, talk: Path) -> None:
    talk.with_suffix(".json").write_text(content)
    assert sidecar(talk) is None


@pytest.mark.parametrize("name", ["talk.SRT", "talk.en.srt", "talk.en-US.srt", "talk.wav.srt"])
def test_a_file_whose_name_is_nearly_the_recordings(name: str, talk: Path) -> None:
    (talk.parent / name).write_text(f"1\n00:00:00,000 --> 00:00:04,000\n{TEXT}\n")
    (talk.parent / "talk.de.srt").write_text("1\n00:00:00,000 --> 00:00:04,000\nUnd du.\n")
    assert found(talk).transcript.text == TEXT


def test_a_file_beside_it_that_is_not_understood_is_named(talk: Path) -> None:
    assert not_read(talk) == ""
    talk.with_suffix(".pdf").write_bytes(b"%PDF-1.7")
    talk.with_suffix(".json").write_text('{"version": 3}')
    assert not_read(talk).startswith("talk.json, talk.pdf beside the recording are no transcript")
    pictures = talk.with_suffix(".sub")
    pictures.write_bytes(b"\0\0\1\xba" + bytes(range(256)) * 20)  # as on a DVD
    assert sidecar(talk) is None and "talk.sub" in not_read(talk)
    pictures.write_text(f"{{0}}{{99}}{TEXT}\n")
    assert found(talk).transcript.text == TEXT


@pytest.mark.parametrize("suffix", [".TextGrid", ".json", ".lab", ".ctm", ".txt", ".srt", ".vtt"])
def test_recognised_words_stay_recognised_in_a_file(suffix: str, talk: Path) -> None:
    guess = labelled()
    doubtful = (guess.words[0], replace(guess.words[1], score=0.25), guess.words[2])
    guess = replace(guess, words=doubtful, recognised=True)
    write_alignment(guess, talk.with_suffix(suffix))
    result = found(talk)
    assert (result.origin, result.transcript.spoken) == ("recognised", ("see",))
    if suffix in (".TextGrid", ".json", ".ctm"):
        assert result.alignment and result.alignment.spoken[0].score == 0.25
    checked = replace(guess, recognised=False)
    write_alignment(checked, talk.with_suffix(suffix))
    assert found(talk).origin == talk.with_suffix(suffix).name


@pytest.mark.parametrize("ending", [".txt", ".srt", ".docx"])
def test_a_saved_guess_is_doubted_until_somebody_corrects_it(
    ending: str, arctic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def guess(*_: object) -> FoundTranscript:
        return FoundTranscript(Transcript.from_text(ARCTIC))

    monkeypatch.setattr("a3t.source.transcripts.recognised", guess)
    talk = Path(shutil.copy(arctic, tmp_path / "talk.wav"))
    out = talk.with_suffix(ending)
    if ending == ".docx":
        pytest.importorskip("docx")
    assert main([str(talk), "--out", str(out)]) == 0
    read = found(talk)
    assert read.origin == "recognised" and "nobody has corrected it" in read.about
    assert read.transcript.spoken == Transcript.from_text(ARCTIC).spoken
    if ending == ".txt":
        out.write_text(out.read_text().partition("\n")[2])
        assert found(talk).origin == "talk.txt"


def test_words_with_times_alone_are_an_alignment_to_look_by(talk: Path) -> None:
    def in_file(ending: str) -> FoundTranscript:
        path = talk.with_suffix(ending)
        return find_transcript(Recording.open(talk), None, None, Pronouncer(), alignment=path)

    talk.with_suffix(".ctm").write_text("talk 1 0.5 0.25 see\ntalk 1 0.8 0.25 it\n")
    result = in_file(".ctm")
    assert result.times == [(0.5, 0.75), (0.8, 1.05)] and result.alignment is None
    talk.with_suffix(".txt").write_text("See it.")
    with pytest.raises(InputError, match="no times"):
        in_file(".txt")


def test_the_name_of_a_text_file_is_not_spoken(
    talk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(talk.parent)
    Path("said.txt").write_text("See it.")
    assert text_argument("said.txt") == text_argument("@said.txt") == "See it."
    assert "said.txt is a file" in capsys.readouterr().err
    assert text_argument("none.txt") == "none.txt" and text_argument("") == ""


@pytest.mark.parametrize("ending", [".txt", ".srt", ".vtt", ".docx"])
def test_a_transcript_is_saved(ending: str, arctic: Path, tmp_path: Path) -> None:
    talk, out = Path(shutil.copy(arctic, tmp_path / "talk.wav")), tmp_path / f"said{ending}"
    assert main([str(talk), "--text", ARCTIC, "--out", str(out)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"talk.wav", out.name}
    if ending == ".docx":
        docx = pytest.importorskip("docx")
        assert "superlative" in docx.Document(str(out)).paragraphs[1].text
    else:
        assert " ".join(text_of(out).split()) == ARCTIC


@pytest.mark.parametrize(("name", "why"), [("talk.txt", "exists already"), ("x.pdf", "ending")])
def test_nothing_is_replaced(
    name: str, why: str, arctic: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    talk = Path(shutil.copy(arctic, tmp_path / "talk.wav"))
    (tmp_path / "talk.txt").write_text("corrected")
    assert main([str(talk), "--out", str(tmp_path / name)]) == 1
    assert why in capsys.readouterr().err
    assert (tmp_path / "talk.txt").read_text() == "corrected"
