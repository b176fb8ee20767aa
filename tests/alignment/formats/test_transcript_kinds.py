"""Transcripts of other programs and of people: each kind by its content, with text and times."""

import io
import json
import re
import zipfile
from pathlib import Path

import pytest

from alignment.errors import InputError
from alignment.formats.transcripts.kinds import TRANSCRIPT_KINDS, read_transcript
from tests.alignment.conftest import Check
from tests.alignment.formats.transcript_samples import (
    FILES,
    LINES,
    SAID,
    SEGMENTS,
    SRT,
    TEXTS_ALONE,
)


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


@pytest.mark.parametrize("name", FILES)
def test_each_kind_is_read_by_its_content(name: str, tmp_path: Path) -> None:
    kind, content = FILES[name]
    path = tmp_path / name
    path.write_text(content, encoding="utf-8-sig")
    read = read_transcript(path)
    path.write_text(content, encoding="utf-16")
    assert read_transcript(path) == read
    assert kind in read.kind
    assert letters(read.text) == letters(SAID)
    assert (name in TEXTS_ALONE) or read.about.startswith(f"{name} was read as ")
    if name not in TEXTS_ALONE:
        starts = [cue.start for cue in read.timed]
        assert starts[0] == 1.0 and 3.5 in starts
        assert all(cue.end >= cue.start for cue in read.timed)


def test_the_table_has_no_kind_that_is_not_tried() -> None:
    tried = {kind for kind, _ in FILES.values()}
    assert not {
        kind.name for kind in TRANSCRIPT_KINDS if not any(name in kind.name for name in tried)
    }


NAMED = {
    "a.vtt": ("Bob",),
    "a.ass": ("Bob",),
    "names.srt": ("BOB",),
    "scene.srt": ("BOB",),
    "otter.txt": ("Anna Smith", "Bob"),
    "rev.txt": ("Speaker 1", "Speaker 2"),
    "inline.txt": ("Anna", "Bob"),
    "named.txt": ("Anna", "Bob"),
    "script.txt": ("ANNA", "BOB"),
    "people.txt": ("Anna", "Bob"),
    "descript.txt": ("Anna", "Bob"),
    "above.txt": ("Anna", "Bob"),
    "ranges.txt": ("Speaker 1", "Speaker 2"),
    "resolve.txt": ("Anna", "Bob"),
    "zoom.vtt": ("Anna Smith",),
    "a podcast's.json": ("Anna",),
    "bracketed.srt": ("Speaker 0", "Speaker 1"),
    "parentheses.txt": ("Speaker 1", "Speaker 2"),
    "pyannote.txt": ("Speaker 0", "Speaker 1"),
    "capitals.txt": ("ANNA", "BOB"),
    "table.csv": ("Anna", "Bob"),
    **dict.fromkeys(
        (
            "descript.csv",
            "riverside.csv",
            "nvivo.txt",
            "markdown.md",
            "a.stm",
            "elan.txt",
            "avid.txt",
            "commas.csv",
            "pipes.txt",
            "teams.txt",
            "footer.txt",
            "keywords.txt",
            "trint.txt",
            "happy scribe.txt",
            "maxqda.txt",
        ),
        ("Anna", "Bob"),
    ),
    "grain.txt": ("Anna Smith", "Bob"),
    "zoom.txt": ("Anna Smith", "Bob"),
    "range.txt": ("Speaker 1", "Speaker 2"),
    "vosk.txt": ("Speaker 0", "Speaker 1"),
    "a.srt": (),
    "youtube.txt": (),
}


@pytest.mark.parametrize("name", NAMED)
def test_names_are_not_spoken(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FILES[name][1])
    read = read_transcript(tmp_path / name)
    assert read.speakers == NAMED[name]
    for speaker in read.speakers:
        assert f"{speaker}:".lower() in read.named_text.lower()


def test_speakers_of_json(tmp_path: Path) -> None:
    for given, name in (
        (0, "Speaker 0"),
        ("SPEAKER_01", "Speaker 1"),
        ("A", "Speaker A"),
        ("Anna", "Anna"),
    ):
        (tmp_path / "a.json").write_text(
            json.dumps({"segments": [{**SEGMENTS[0], "speaker": given}]})
        )
        assert read_transcript(tmp_path / "a.json").speakers == (name,)


ROLLING = f"""WEBVTT
Kind: captions

00:00:00.000 --> 00:00:02.000 align:start position:0%
{" "}
and<00:00:00.400><c> you</c><00:00:00.800><c> always</c>

00:00:02.000 --> 00:00:02.010 align:start position:0%
and you always
{" "}

00:00:02.010 --> 00:00:04.000 align:start position:0%
and you always
want<00:00:02.400><c> to</c><00:00:02.800><c> see</c>

00:00:04.000 --> 00:00:04.010 align:start position:0%
want to see
{" "}

00:00:04.010 --> 00:00:06.000 align:start position:0%
want to see
it<00:00:04.400><c> in</c>
"""
GROWING = "".join(
    f"{k}\n00:00:0{k},000 --> 00:00:0{k + 1},000\n{said}\n\n"
    for k, said in enumerate(["and", "and you", "and you always", "and you always want"])
)


def test_rolling_captions_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.vtt").write_text(ROLLING)
    read = read_transcript(tmp_path / "a.vtt")
    assert read.text == "and you always want to see it in"
    assert "rolling captions, 4 of 7 lines repeated" in read.about
    assert [cue.start for cue in read.cues] == [0.0, 2.01, 4.01]
    (tmp_path / "a.srt").write_text(GROWING)  # a word more in each cue
    assert read_transcript(tmp_path / "a.srt").text == "and you always want"
    said_twice = SRT.replace("It rained.", LINES[0])
    (tmp_path / "a.srt").write_text(said_twice)  # which is what was said
    assert read_transcript(tmp_path / "a.srt").text == f"{LINES[0]} {LINES[0]}"


TABS = '<w:pPr><w:tabs><w:tab w:val="left" w:pos="720"/></w:tabs></w:pPr>'


def packed(paragraphs: list[str], style: str = "") -> bytes:
    inside = "".join(
        f"<w:p>{style if not k else TABS}<w:r><w:t>{each}</w:t></w:r>"
        "<w:del><w:r><w:delText>never</w:delText></w:r></w:del>"
        "<w:moveFrom><w:r><w:t>before</w:t></w:r></w:moveFrom></w:p>"
        for k, each in enumerate(paragraphs)
    )
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(
            "word/document.xml", f'<w:document xmlns:w="{space}">{inside}</w:document>'
        )
    return file.getvalue()


def test_word_documents(tmp_path: Path, one_sentence: Check) -> None:
    """Without the title, tab stops and what was deleted or moved away; with the times that a3t or
    Otter wrote."""
    title = '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>'
    for lines in (list(LINES), [f"[0:00:01] {LINES[0]}", f"[0:00:03] {LINES[1]}"]):
        (tmp_path / "a.docx").write_bytes(packed(["talk", *lines], title))
        read = read_transcript(tmp_path / "a.docx")
        assert read.text.split() == SAID.split() and "Word document" in read.about
        assert "\t" not in read.text
    assert [cue.start for cue in read.timed] == [1.0, 3.0]
    for content in (b"PK\x03\x04", packed([])[:-30], packed(["<w:x>"])):
        (tmp_path / "a.docx").write_bytes(content)
        with pytest.raises(InputError) as caught:
            read_transcript(tmp_path / "a.docx")
        one_sentence(caught.value)


OPEN = (
    '<d xmlns:t="x"><t:tracked-changes><t:p>never</t:p></t:tracked-changes><t:h>Talk</t:h>'
    "<t:p>{}<t:note>1</t:note><t:line-break/></t:p><t:p><t:span>{}</t:span></t:p></d>"
)
RTF = (
    "{{\\rtf1\\ansi{{\\fonttbl{{\\f0 Arial;}}}}{{\\*\\generator x;}}\\f0 {}\\par\n"
    "{{\\deleted never}}\\b {}\\b0\\par}}"
)


def zipped(part: str, text: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(part, text)
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "about"),
    [
        ("a.odt", zipped("content.xml", OPEN.format(*LINES)), "an OpenDocument text"),
        ("a.rtf", RTF.format(*LINES).encode(), "an RTF document"),
        ("a.ttml", FILES["a.ttml"][1].encode(), "TTML subtitles"),
    ],
)
def test_other_documents(
    name: str, data: bytes, about: str, tmp_path: Path, one_sentence: Check
) -> None:
    """Without headings, notes, what is deleted and what isn't shown; broken ones, and those with
    entities of their own, are refused."""
    (tmp_path / name).write_bytes(data)
    read = read_transcript(tmp_path / name)
    assert read.text.split() == SAID.split() and about in read.about
    entities = '<!DOCTYPE x [<!ENTITY a "b">]>'
    bad = {
        "a.odt": [data[:-30], zipped("content.xml", entities + OPEN), zipped("content.xml", "<d>")],
        "a.rtf": [b"{\\rtf1}"],
        "a.ttml": [data.replace(b"<tt", f"{entities}<tt".encode(), 1), b"<tt><p>We met"],
    }
    for content in bad[name]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError) as caught:
            read_transcript(tmp_path / name)
        one_sentence(caught.value)


def test_signs_of_rtf(tmp_path: Path) -> None:
    said = rb"{\rtf1\uc1 He said \ldblquote no\rdblquote  in caf\'e9 \u8212?  twice\tab .\line}"
    (tmp_path / "a.rtf").write_bytes(said)
    assert (
        read_transcript(tmp_path / "a.rtf").text.split() == "He said “no” in café — twice .".split()
    )


FOREIGN = {
    "a.pdf": b"%PDF-1.7\n",
    "a.xml": b'<?xml version="1.0"?><tt/>',
    "a.html": b"<!DOCTYPE html><p>We met",
    "a.srt": b"We met on Monday.",
    "b.json": b"We met on Monday.",
    "a.json": b'{"version": 3}',
    "a.txt": b"\x00\x01\x02\xff",
    "a.vtt": b"WEBVTT\n\n",
}


def test_what_is_not_understood_is_named(tmp_path: Path, one_sentence: Check) -> None:
    for name, content in FOREIGN.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=name) as caught:
            read_transcript(tmp_path / name)
        one_sentence(caught.value)


@pytest.mark.parametrize(
    ("content", "first"),
    [
        ('<time begin="00:00:01"/><clear/>We\n<time begin="00:00:03"/><clear/>met\n', "<time beg"),
        ("0|00:00:01.000;a\n1|00:00:03.000;b\n", "0|00:00:01"),
        ("talk\n<< 00:00:01.0 << we\n<< 00:00:02.0 << met\n", "<< 00:00:01.0"),
    ],
)
def test_a_layout_that_is_not_known_is_named_with_its_first_line(
    content: str, first: str, tmp_path: Path, one_sentence: Check
) -> None:
    (tmp_path / "a.txt").write_text(content)
    with pytest.raises(InputError, match=f"layout.*“{re.escape(first)}") as caught:
        read_transcript(tmp_path / "a.txt")
    one_sentence(caught.value)


def test_lines_that_are_not_understood_are_noted(tmp_path: Path) -> None:
    labels = "".join(f"{k}.0\t{k + 1}.0\twe\n" for k in range(60))
    (tmp_path / "a.txt").write_text(f"{labels}soon\tlater\tmet\n")
    assert "a line not understood, first “soon" in read_transcript(tmp_path / "a.txt").about
    (tmp_path / "a.ctm").write_text(FILES["negative.ctm"][1])
    assert "the end of “at” before its start" in read_transcript(tmp_path / "a.ctm").about
    (tmp_path / "a.srt").write_text(FILES["spam.srt"][1])
    assert "3 advertisements left out" in read_transcript(tmp_path / "a.srt").about


def test_old_subtitles_are_in_windows_own_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.srt").write_bytes(SRT.replace("noon", "“noon’s”").encode("cp1252"))
    read = read_transcript(tmp_path / "a.srt")
    assert "“noon’s”" in read.text and "Windows-1252" in read.about


@pytest.mark.parametrize(
    "text",
    [
        "10:30 is when we meet.",
        "12 30 people came",
        "Note: he said so.\nNote: she didn't.",
        "Chapter 1\nIt was 10:30 (about).",
        "Question: Why?\nAnswer: No.",
        "[Music] We met.",
        "{We} met",
        "He met me at 9:15.\nShe met me at 10:20.",
        "He met me at 9:15\nShe met me at 10:20",
        "3.5, it said.\n4.5, it said.",
        "1.5, 2.5, and 3.5 are halves.\nSo are 4.5, 5.5 and 6.5.",
        "2.0 3.0 are versions\n4.0 5.0 too",
        "*10:30* we met",
        "start,text\nfinish,book",
        "It rained (10:30).\nThen it stopped (11:10).",
        "one two three 1.0 2.0 so\nfour five six 2.0 3.0 so",
        "@Begin is a word",
        "Lap 1: 0:59.3",
    ],
)
def test_sentences_stay_as_they_are(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(text)
    read = read_transcript(tmp_path / "a.txt")
    assert (read.kind, read.text, read.about) == ("text", text, "")


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
    assert read_transcript(tmp_path / "a.vtt").text == "We meet on Monday, at noon. Tom & I agree."
    (tmp_path / "a.srt").write_bytes(
        b"1\r\n00:00:01,000 --> 00:00:02,000\r\n{\\an8}We met\r\nin 1999.\r\n\r\n"
        b"2\r\n00:00:02,500 --> 00:00:03,000\r\n42\r\n"
    )
    assert read_transcript(tmp_path / "a.srt").text == "We met in 1999. 42"
    segments = [{"start": 0, "end": 1, "text": " We met."}, {"start": 1, "end": 2, "text": " Now."}]
    for data in ({"text": " We met. Now.", "segments": segments}, {"segments": segments}):
        (tmp_path / "a.json").write_text(json.dumps(data))
        assert read_transcript(tmp_path / "a.json").text == "We met. Now."
    for content in ("[]", "{", '{"segments": [{}]}', '{"text": ""}'):
        (tmp_path / "a.json").write_text(content)
        with pytest.raises(InputError) as caught:
            read_transcript(tmp_path / "a.json")
        one_sentence(caught.value)


def cue(text: str) -> str:
    return f"1\n00:00:01,000 --> 00:00:02,000\n{text}\n"


def test_tags_are_left_out_and_signs_kept(tmp_path: Path) -> None:
    (tmp_path / "a.srt").write_text(cue("a <b <i>x</i> 3 < 4 {\\an8 and {\\i1}so"))
    assert read_transcript(tmp_path / "a.srt").text == "a x 3 < 4 so"


HUGE = "9" * 5000


def test_times_that_are_none(tmp_path: Path, one_sentence: Check) -> None:
    """In JSON the text counts; in subtitles nothing says then where a cue begins."""
    for time in ("9" * 400, "Infinity", "1e999", "-1", '"soon"', "true", "null"):
        content = f'{{"segments": [{{"start": {time}, "end": 1, "text": "a"}}]}}'
        (tmp_path / "a.json").write_text(content)
        read = read_transcript(tmp_path / "a.json")
        assert (read.text, read.timed) == ("a", ())
    for name, content in (
        ("a.srt", f"1\n{HUGE}:00:01,000 --> {HUGE}:00:02,000\nword\n"),
        ("a.srt", cue("")),
        ("a.json", f'{{"segments": [{{"start": {HUGE}, "end": 1, "text": "a"}}]}}'),
        ("a.json", '{"segments": 3}'),
    ):
        (tmp_path / name).write_text(content)
        with pytest.raises(InputError) as caught:
            read_transcript(tmp_path / name)
        one_sentence(caught.value)


@pytest.mark.parametrize("name", ["a.srt", "a.vtt", "a.json"])
def test_bytes_that_are_not_text(name: str, tmp_path: Path, one_sentence: Check) -> None:
    (tmp_path / name).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8") as caught:
        read_transcript(tmp_path / name)
    one_sentence(caught.value)


def test_sentences_before_the_first_time_are_said(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("We met.\n\n10:30\n\nIt rained.")
    assert read_transcript(tmp_path / "a.txt").text == "We met. It rained."


def test_times_at_the_ends_and_of_a_day(tmp_path: Path) -> None:
    (tmp_path / "f4.txt").write_text(
        f"Anna: {LINES[0]} #00:00:03-5#\nBob: {LINES[1]} #00:00:05-0#\n"
    )
    read = read_transcript(tmp_path / "f4.txt")
    assert [(cue.start, cue.speaker) for cue in read.timed] == [(0.0, "Anna"), (3.5, "Bob")]
    for stamp in ("[05/03/2026, 10:02:11] {}: ", "5/3/26, 10:02 - {}: ", "{}  10:02 AM\n"):
        lines = [stamp.format(who) + said for who, said in zip(("Anna", "Bob"), LINES, strict=True)]
        (tmp_path / "chat.txt").write_text("\n".join(lines))
        read = read_transcript(tmp_path / "chat.txt")
        assert (read.text, read.speakers, read.timed) == (SAID, ("Anna", "Bob"), ())


def test_several_speakers_after_one_time(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"Sync\n0:00\nAnna: {LINES[0]}\nBob: {LINES[1]}\n")
    assert read_transcript(tmp_path / "a.txt").speakers == ("Anna", "Bob")
