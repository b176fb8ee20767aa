"""A text is read in one way, whichever door it comes through."""

from pathlib import Path

import pytest

from a3t.commands.options import text_argument
from a3t.errors import InputError
from a3t.plan.request import EditRequest, SpeechRequest
from a3t.text.transcript import Transcript, parsed, spoken_text
from alignment.formats.transcripts.kinds import read_transcript
from app.studio.project_listening import transcript_lines
from tests.alignment.formats.test_transcript_kinds import packed, zipped
from tests.alignment.formats.transcript_samples import FILES, SAID

SCRIPT = (
    "INT. KITCHEN - DAY\nANNA: We met on Monday, at noon.\n[Scene 2. Night.]\nBOB: It rained.\n"
)


@pytest.mark.parametrize("name", FILES)
def test_a_file_and_its_content_are_read_alike(name: str, tmp_path: Path) -> None:
    content = FILES[name][1]
    (tmp_path / name).write_text(content)
    named = parsed(text_argument(f"@{tmp_path / name}"))
    typed = EditRequest(new_text=content).new_transcript
    assert named is not None
    assert typed.spoken == named.spoken == Transcript.from_text(SAID).spoken
    assert [word.speaker for word in typed.words] == [word.speaker for word in named.words]
    spoken = SpeechRequest(text=content).transcript.spoken
    assert spoken == typed.spoken == EditRequest(new_text="x", text=content).transcript.spoken  # type: ignore[union-attr]
    assert Transcript.from_text(transcript_lines(content)).spoken == typed.spoken


def test_a_script_with_headings() -> None:
    assert EditRequest(new_text=SCRIPT).new_transcript.spoken == Transcript.from_text(SAID).spoken


@pytest.mark.parametrize(
    "text",
    [
        "We met  on Monday,\nat noon.", "10:30 is when we meet.", "*so* [pause 0.4] late",
        "{We} met", "[Music] We met.", "Chapter 3\n\nWe met.", "I said: no.", "a\u2028b",
        "5 - 3 = 2", "-5 degrees",
    ],
)  # fmt: skip
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert spoken_text(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "{spn} We met <unk> on Monday.", "<s> We met {BREATH} on Monday. </s>",
        "++GARBAGE++ We met on Monday.", "%hesitation We met on &=laughs Monday.",
        "[ANNA] We met on Monday.", "[Speaker 0] We met\n[Speaker 1] on Monday.",
        "[INTERVIEWER]: We met on Monday.", "<hes> We met <noise/> on Monday.",
    ],
)  # fmt: skip
def test_marks_that_nobody_says(text: str) -> None:
    read = parsed(text)
    assert read is not None and read.spoken == ("we", "met", "on", "monday")


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("Chapter One\n\nIt was late.", "one"),
        ("Chapter One\nIt was late.", "one"),
        ("PART II\r\n\r\nIt was late.", "two"),
        ("The Return of the King\nIt was late.", "king"),
        ("# One more thing\nit was late.", "thing"),
        ("- milk\n- it was late.", "milk"),
        ("So it goes [Music]\n\nIt was late.", "goes"),
    ],
)
def test_a_title_and_a_paragraph_end_with_a_pause(text: str, last: str) -> None:
    read = SpeechRequest(text=text).transcript
    assert [word.text for word in read.words if word.mark == "."] == [last, "late"]


TITLE = '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>'


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("book.docx", packed(["Chapter One", "It was late."], TITLE)),
        (
            "book.odt",
            zipped(
                "content.xml", '<d xmlns:t="x"><t:h>Chapter One</t:h><t:p>It was late.</t:p></d>'
            ),
        ),
        ("book.md", b"# Chapter One\nIt was late."),
    ],
)
def test_a_documents_heading_is_spoken_with_a_pause(name: str, data: bytes, tmp_path: Path) -> None:
    """And isn't in a transcript, which says so; Markdown's, which may be said, is in both."""
    (tmp_path / name).write_bytes(data)
    text = text_argument(f"@{tmp_path / name}", headings=True)
    words = SpeechRequest(text=text).transcript.words
    assert [word.text for word in words if word.mark == "."] == ["one", "late"]
    transcript = read_transcript(tmp_path / name)
    assert transcript.text.split()[-3:] == "It was late.".split()
    if name != "book.md":
        assert (
            transcript.text.strip() == "It was late." and "a heading left out" in transcript.about
        )
        new = EditRequest(new_text=text_argument(f"@{tmp_path / name}")).new_transcript
        assert new.spoken == ("it", "was", "late")


@pytest.mark.parametrize("text", ["it was a long\nBritish summer", "So it goes\n", "\n\nIt was"])
def test_a_line_that_is_broken_has_no_pause(text: str) -> None:
    assert not any(word.pause_after for word in SpeechRequest(text=text).transcript.words)


def test_paragraphs_alone_are_no_punctuation() -> None:
    assert not Transcript.from_text("we met on monday\n\nit rained all day").is_punctuated


@pytest.mark.parametrize("text", ["[We] met.", "5% of List<string>", "2 < 3 > 1", "{ } so"])
def test_signs_that_are_said_or_stand_for_nothing(text: str) -> None:
    read = parsed(text)
    assert read is not None and len(read.spoken) == len(Transcript.from_text(text).spoken)
    assert read.spoken[0] in ("we", "five", "two", "so")


def test_times_that_are_not_understood_are_refused() -> None:
    with pytest.raises(InputError, match="first in the line"):
        parsed("0|00:00:01.000;a\n1|00:00:03.000;b\n")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Scenarist_SCC V1.0\n\n00:00:01:00\t9420 9420 94ae\n", "Scenarist's captions"),
        ("00:00:01:00\t9420 9420 94ae\n\n00:00:03;15\t942c\n", "Scenarist's captions"),
        ("<SAMI>\n<BODY>\n<SYNC Start=1000><P>We met.", "SAMI"),
        ('<?xml version="1.0"?><transcript><text start="1">We</text></transcript>', "XML"),
        ('<ANNOTATION_DOCUMENT AUTHOR="">', "XML"),
        ("<html><p>We met.", "a web page"),
        ("850STL25.010110101EN", "EBU"),
        ("TITLE: talk\nFCM: NON-DROP FRAME\n\n001  001 V C 00:00:01:00", "edit decision list"),
        ("SPEAKER talk 1 1.00 2.00 <NA> <NA> Anna <NA> <NA>", "RTTM"),
        ("@UTF8\n@Begin\n*ANN:\twe met .\n@End", "CHAT"),
        ('#!MLF!#\n"*/a.lab"\n0 10000 we\n.', "label files"),
        ('{"version": 3}', "JSON that"),
        ('{"text": "We met", "segments": [', "broken JSON"),
        ("{'text': 'We met'}", "broken JSON"),
        ("WEBVTT\n\nNOTE no cue\n", "WebVTT"),
    ],
)
def test_what_is_not_read_is_named_as_a_text_and_as_a_file(
    text: str, named: str, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text(text)
    for read in (
        lambda: EditRequest(new_text=text).new_transcript,
        lambda: SpeechRequest(text=text).transcript,
        lambda: text_argument(f"@{tmp_path / 'a.txt'}"),
    ):
        with pytest.raises(InputError, match=named):
            read()
