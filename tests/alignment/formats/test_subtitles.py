"""Writing subtitles, which other readers and this one read alike."""

import html
import re
from pathlib import Path

import pytest

from alignment import Alignment, Phone, Word
from alignment.formats import write_alignment
from alignment.formats.subtitles import cues_of, subtitles, write_subtitles
from alignment.formats.transcripts.kinds import read_transcript


def test_subtitles_show_the_written_text(tmp_path: Path, aligned: Alignment) -> None:
    written = "And you always want to see it, <in> the superlative degree.".split()
    for ending, mark in ((".srt", ","), (".vtt", ".")):
        path = tmp_path / f"x{ending}"
        write_subtitles(aligned, path, written)
        times = re.findall(r"(\d\d):(\d\d):(\d\d)[,.](\d{3})", path.read_text())
        seconds = [int(h) * 3600 + int(m) * 60 + int(s) + int(t) / 1000 for h, m, s, t in times]
        assert seconds == sorted(seconds)
        assert seconds[0] == pytest.approx(aligned.spoken[0].start, abs=6e-4)
        assert seconds[-1] == pytest.approx(aligned.spoken[-1].end, abs=6e-4)
        assert f"{mark}{times[0][3]} --> " in path.read_text()
    assert read_transcript(tmp_path / "x.vtt").text == " ".join(written)
    assert (tmp_path / "x.vtt").read_text().startswith("WEBVTT\n\n")


@pytest.mark.parametrize("ending", [".srt", ".vtt"])
def test_subtitles_are_read_alike_by_another_reader(
    ending: str, tmp_path: Path, aligned: Alignment
) -> None:
    webvtt = pytest.importorskip("webvtt", reason="webvtt-py is not installed")
    path = tmp_path / f"x{ending}"
    write_subtitles(aligned, path, "And you always want: to see it in the superlative &c.".split())
    read = webvtt.from_srt(str(path)) if ending == ".srt" else webvtt.read(str(path))
    shown = " ".join(caption.text.replace("\n", " ") for caption in read.captions)
    assert html.unescape(shown) == "And you always want: to see it in the superlative &c."
    first, last = read.captions[0], read.captions[-1]
    assert first.start_in_seconds == int(aligned.spoken[0].start)
    assert last.end_in_seconds == int(aligned.spoken[-1].end)


def test_a_cue_is_of_one_speaker_and_one_sentence(tmp_path: Path) -> None:
    """At most two lines of 42 characters and seven seconds; .vtt names who speaks."""
    long = "It was there, as they said " + "and said again " * 6 + "to everybody at the very end."
    said = ["ANNA: Hello", "there.", "How", "are", "you?", "JOSÉ: Fine.", *long.split()]
    words = [_word(text, 0.4 * k, 0.4 * k + 0.4) for k, text in enumerate(said)]
    cues = cues_of(words, said)
    assert [text for _, _, text in cues][:3] == [
        "ANNA: Hello there.",
        "How are you?",
        "JOSÉ: Fine.",
    ]
    assert all(end - start <= 7.0 for start, end, _ in cues)
    vtt = subtitles(Alignment(tuple(words), words[-1].end, 1.0), said, vtt=True)
    blocks = [block.splitlines()[1:] for block in vtt.split("\n\n")[1:]]
    assert blocks[:3] == [
        ["<v ANNA>Hello there."],
        ["<v ANNA>How are you?"],
        ["<v JOSÉ>Fine."],
    ]
    assert all(len(lines) <= 2 for lines in blocks)
    assert max(len(line.removeprefix("<v JOSÉ>")) for lines in blocks for line in lines) <= 42
    path = tmp_path / "x.vtt"
    path.write_text(vtt)
    assert read_transcript(path).named_text.split("\n") == [
        "ANNA: Hello there. How are you?",
        f"JOSÉ: Fine. {long}",
    ]


def _word(text: str, start: float, end: float) -> Word:
    return Word(text, start, end, 1.0, (Phone("AH1", start, end),))


def test_a_token_of_several_words_is_shown_once(tmp_path: Path, aligned: Alignment) -> None:
    shown = ["And", "$5", "", *("x" for _ in range(8))]
    write_alignment(aligned, tmp_path / "x.srt", shown)
    assert read_transcript(tmp_path / "x.srt").text == "And $5" + 8 * " x"
