"""Writing subtitles, and reading transcripts of other programs."""

import html
import json
import re
from pathlib import Path

import pytest

from alignment import Alignment
from alignment.errors import InputError
from alignment.formats import subtitles, write_alignment
from alignment.formats.subtitles import read_transcript, write_subtitles
from tests.alignment.conftest import Check


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
    assert read_transcript(tmp_path / "x.vtt") == " ".join(written)
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


def test_a_token_of_several_words_is_shown_once(tmp_path: Path, aligned: Alignment) -> None:
    shown = ["And", "$5", "", *("x" for _ in range(8))]
    write_alignment(aligned, tmp_path / "x.srt", shown)
    assert read_transcript(tmp_path / "x.srt") == "And $5" + 8 * " x"


CAPTIONS = """\ufeffWEBVTT - a talk

NOTE never said

STYLE
::cue { color: red }

intro
00:01.000 --> 00:04.000 align:start
<v Jane>We meet <i>on Monday</i>,
at noon.

00:01:05.000 --> 00:01:06.000
Tom &amp; I agree.
"""


def test_transcripts_of_other_programs_are_read(tmp_path: Path, one_sentence: Check) -> None:
    (tmp_path / "a.vtt").write_text(CAPTIONS)
    assert read_transcript(tmp_path / "a.vtt") == "We meet on Monday, at noon. Tom & I agree."
    (tmp_path / "a.srt").write_bytes(
        b"1\r\n00:00:01,000 --> 00:00:02,000\r\n{\\an8}We met\r\nin 1999.\r\n\r\n"
        b"2\r\n00:00:02,500 --> 00:00:03,000\r\n42\r\n"
    )
    assert read_transcript(tmp_path / "a.srt") == "We met in 1999. 42"
    segments = [{"start": 0, "end": 1, "text": " We met."}, {"start": 1, "end": 2, "text": " Now."}]
    for data in ({"text": " We met. Now.", "segments": segments}, {"segments": segments}):
        (tmp_path / "a.json").write_text(json.dumps(data))
        assert read_transcript(tmp_path / "a.json") == "We met. Now."
    for content in ("[]", "{", '{"segments": [{}]}', '{"text": ""}'):
        (tmp_path / "a.json").write_text(content)
        with pytest.raises(InputError) as caught:
            read_transcript(tmp_path / "a.json")
        one_sentence(caught.value)


def cue(text: str) -> str:
    return f"1\n00:00:01,000 --> 00:00:02,000\n{text}\n"


@pytest.mark.parametrize("opening", ["<", "{\\", "<i", "&#", "<{\\"])
def test_a_million_unclosed_tags_are_read(opening: str, tmp_path: Path) -> None:
    """A search for each one's end would take hours."""
    count = 1_000_000 // len(opening)
    (tmp_path / "a.srt").write_text(cue(opening * count + " word"))
    assert read_transcript(tmp_path / "a.srt").endswith("word")


@pytest.mark.parametrize("opening", ["<", "{\\"])
def test_reading_tags_is_linear_work(
    opening: str,
) -> None:
    def characters_searched(count: int) -> int:
        searched = 0

        class Counting(str):
            """A part of the text that says how much of it is looked at."""

            def partition(self, sep: str, /) -> tuple[str, str, str]:
                nonlocal searched
                searched += len(self)
                return super().partition(sep)

            def split(self, *args: object, **kwargs: object) -> list[str]:  # type: ignore[override]
                nonlocal searched
                searched += len(self)
                return [Counting(part) for part in str.split(self, *args, **kwargs)]  # type: ignore[arg-type]

        closing = ">" if opening == "<" else "}"
        subtitles._without(Counting(f"{opening}tag " * count), opening, closing)
        return searched

    assert characters_searched(2000) <= 2.1 * characters_searched(1000)


def test_tags_are_left_out_and_signs_kept(tmp_path: Path) -> None:
    (tmp_path / "a.srt").write_text(cue("a <b <i>x</i> 3 < 4 {\\an8 and {\\i1}so"))
    assert read_transcript(tmp_path / "a.srt") == "a x 3 < 4 so"


HUGE = "9" * 5000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.srt", f"1\n{HUGE}:00:01,000 --> {HUGE}:00:02,000\nword\n"),
        ("a.srt", cue("")),
        ("a.json", f'{{"segments": [{{"start": {"9" * 400}, "end": 1, "text": "a"}}]}}'),
        ("a.json", f'{{"segments": [{{"start": {HUGE}, "end": 1, "text": "a"}}]}}'),
        ("a.json", '{"segments": [{"start": Infinity, "end": 1, "text": "a"}]}'),
        ("a.json", '{"segments": [{"start": 1e999, "end": 1, "text": "a"}]}'),
        ("a.json", '{"segments": 3}'),
    ],
)
def test_times_that_are_none(name: str, content: str, tmp_path: Path, one_sentence: Check) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError) as caught:
        read_transcript(tmp_path / name)
    one_sentence(caught.value)


@pytest.mark.parametrize("name", ["a.srt", "a.vtt", "a.json"])
def test_bytes_that_are_not_text(name: str, tmp_path: Path, one_sentence: Check) -> None:
    (tmp_path / name).write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(InputError, match="UTF-8") as caught:
        read_transcript(tmp_path / name)
    one_sentence(caught.value)
