"""Exports of an edited recording describe the result, in formats that other programs read."""

import csv
import io
import sys
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from a3t.audio.output.muxing import picture_size
from a3t.audio.reading.recording import Recording
from a3t.commands.editing.edit_options import parser, project_edit
from a3t.commands.options import export_kinds
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.projects.export import export_kinds as kinds_module
from a3t.projects.export.exports import export, timecode
from a3t.projects.export.timelines import (
    Played,
    Sound,
    fcpxml_text,
    framed,
    pictures_of,
    timeline_text,
)
from a3t.projects.project_edit import ProjectEdit
from a3t.rendering.edited import EditedRecording
from alignment.formats import read_alignment
from tests.audio.films import FPS
from tests.audio.films import film as made_film
from tests.conftest import ARCTIC, NEVER

NEW = "You never want to see it, again, in the superlative degree."
RATE = 16_000


@pytest.fixture(scope="module")
def result(editor: Editor, arctic: Path) -> EditedRecording:
    return editor.edit(arctic, new_text=NEW, text=ARCTIC)


@pytest.fixture
def out(result: EditedRecording, tmp_path: Path) -> Path:
    return result.save(tmp_path / "said.edited.wav")


def seconds(out: Path) -> float:
    return soundfile.info(out).frames / RATE


def test_kinds_are_separated_by_commas() -> None:
    assert export_kinds("SRT, edl,srt") == ("srt", "edl")


def test_words_and_phones(result: EditedRecording, out: Path) -> None:
    grid, labels = export(result, out, ["textgrid", "labels"])
    aligned = read_alignment(grid)
    assert [word.text for word in aligned.spoken] == list(result.plan.new_text.spoken)
    assert aligned.duration == pytest.approx(seconds(out), abs=1e-3)
    for edit in result.record["edits"]:  # a new word lies where the new samples are
        for text in edit["new_words"].split():
            word = next(word for word in aligned.spoken if word.text == text.strip(",").lower())
            first, last = (sample / RATE for sample in edit["output"])
            assert first - 0.02 <= word.start and word.end <= last + 0.02
    lines = labels.read_text().splitlines()
    assert len(lines) == len(aligned.spoken)
    assert lines[0].split("\t")[2] == "you"


def test_subtitles(result: EditedRecording, out: Path) -> None:
    srt, vtt = export(result, out, ["srt", "vtt"])
    for path in (srt, vtt):
        assert "never want to see it, again, in the" in path.read_text().replace("\n", " ")
    assert vtt.read_text().startswith("WEBVTT")


def test_the_edits_as_a_table(result: EditedRecording, out: Path) -> None:
    (path,) = export(result, out, ["csv"])
    rows = list(csv.DictReader(io.StringIO(path.read_text())))
    edits = result.record["edits"]
    assert [row["op"] for row in rows] == [edit["op"] for edit in edits]
    for row, edit in zip(rows, edits, strict=True):
        assert round(float(row["new_start"]) * RATE) == edit["output"][0]
        assert round(float(row["old_end"]) * RATE) == edit["source"][1]


def test_an_edit_decision_list(result: EditedRecording, out: Path) -> None:
    """Read by another program: it covers the result without a gap, each part from where it is."""
    pycmx = pytest.importorskip("pycmx", reason="pycmx is not installed")
    (path,) = export(result, out, ["edl"])
    with path.open() as file:
        events = [edit for event in pycmx.parse_cmx3600(file).events for edit in event.edits]
    assert [event.record_in for event in events[1:]] == [e.record_out for e in events[:-1]]
    assert events[0].record_in == "00:00:00:00"
    assert events[-1].record_out == timecode(int(seconds(out) * 30))
    made = [event for event in events if event.source == "A3T"]
    assert 1 <= len(made) <= len(result.record["edits"])
    for event in made:
        assert event.clip_name == out.name
        assert (event.source_in, event.source_out) == (event.record_in, event.record_out)
    assert {event.clip_name for event in events} == {out.name, "arctic_a0007.wav"}
    assert "never" in path.read_text()


def test_a_cue_for_each_word(result: EditedRecording, out: Path) -> None:
    webvtt = pytest.importorskip("webvtt", reason="webvtt-py is not installed")
    srt, vtt = export(result, out, ["word-srt", "word-vtt"])
    assert (srt.name, vtt.name) == ("said.edited.words.srt", "said.edited.words.vtt")
    for cues in (list(webvtt.from_srt(str(srt))), list(webvtt.read(str(vtt)))):
        assert [cue.text for cue in cues] == NEW.split()
        starts = [cue.start_in_seconds for cue in cues]
        assert starts == sorted(starts)


@pytest.mark.parametrize("kind", ["otio", "xml", "fcpxml"])
def test_a_timeline_for_other_editors(kind: str, result: EditedRecording, out: Path) -> None:
    """Read back by OpenTimelineIO: no gap, the result's length, every clip from its own file."""
    otio = pytest.importorskip("opentimelineio", reason="opentimelineio is not installed")
    (path,) = export(result, out, [kind])
    adapter = {"otio": "otio_json", "xml": "fcp_xml", "fcpxml": "fcpx_xml"}[kind]
    read = otio.adapters.read_from_string(path.read_text(), adapter)
    clips = list(read.find_clips())
    total = sum(clip.source_range.duration.to_seconds() for clip in clips)
    assert total == pytest.approx(seconds(out), abs=1 / 30)
    files = {clip.media_reference.target_url.rpartition("/")[2] for clip in clips}
    assert files == {out.name, "arctic_a0007.wav"}
    made = [clip for clip in clips if clip.media_reference.target_url.endswith(out.name)]
    assert "never" in [clip.name for clip in made]
    if kind == "otio":  # to the sample
        assert len(made) == len(result.record["edits"])
        for clip, edit in zip(made, result.record["edits"], strict=True):
            first = clip.source_range.start_time.value
            assert [first, first + clip.source_range.duration.value] == edit["output"]


@pytest.fixture(scope="module")
def film(editor: Editor, arctic: Path, tmp_path_factory: pytest.TempPathFactory) -> EditedRecording:
    """A film whose sound has lost a word, and has another instead of one."""
    path = made_film(tmp_path_factory.mktemp("film") / "talk.mov", arctic)
    return editor.edit(path, text=ARCTIC, new_text=ARCTIC.replace("And ", "").replace("in", "at"))


def test_a_film_is_cut_with_its_picture(film: EditedRecording, tmp_path: Path) -> None:
    """The picture has the film's own frames, no gap, and follows the sound; read by others."""
    otio = pytest.importorskip("opentimelineio", reason="opentimelineio is not installed")
    pycmx = pytest.importorskip("pycmx", reason="pycmx is not installed")
    out = film.save(tmp_path / "talk.edited.wav")
    edl, xml, pro = export(film, out, ["edl", "xml", "fcpxml"])
    length = int(film.map.output_seconds * FPS)
    with edl.open() as file:
        events = [edit for event in pycmx.parse_cmx3600(file).events for edit in event.edits]
    shown = [event for event in events if event.channels.video]
    assert [event.record_in for event in shown[1:]] == [event.record_out for event in shown[:-1]]
    assert shown[-1].record_out == timecode(length, Fraction(FPS))
    assert {event.clip_name for event in shown} == {"talk.mov"}
    made = [event for event in events if event.source == "A3T"]  # what was cut out needs none
    assert made and not any(event.channels.video for event in made)
    timeline = otio.adapters.read_from_string(xml.read_text(), "fcp_xml")
    (pictures,) = timeline.video_tracks()
    clips = list(pictures.find_clips())
    assert {clip.source_range.duration.rate for clip in clips} == {FPS}
    assert sum(clip.source_range.duration.value for clip in clips) == length
    for clip, event in zip(clips, shown, strict=True):
        first = clip.source_range.start_time.value
        assert timecode(round(first), Fraction(FPS)) == event.source_in
    assert 'width="64" height="48"' in pro.read_text()
    read = otio.adapters.read_from_string(pro.read_text(), "fcpx_xml")
    assert {clip.media_reference.target_url.rpartition("/")[2] for clip in read.find_clips()} == {
        "talk.mov", out.name,
    }  # fmt: skip


RATES = [Fraction(n, d) for n, d in ((24000, 1001), (24, 1), (25, 1), (30000, 1001), (30, 1),
                                     (50, 1), (60000, 1001))]  # fmt: skip
LENGTHS = st.lists(st.integers(1, 200_000), min_size=1, max_size=9)


@given(st.sampled_from(RATES), st.sampled_from([44_100, 48_000]), LENGTHS, st.booleans())
def test_clips_are_on_pictures_and_inside_their_files(
    rate: Fraction, hertz: int, lengths: list[int], filmed: bool
) -> None:
    """In turn from the recording, back to back and from its end, and from the result."""
    total = sum(lengths)
    film = Sound(Path("/talk.mov"), total / hertz, hertz, 1, rate if filmed else None)
    sounds = [film, Sound(Path("/talk.edited.wav"), total / hertz, hertz, 1)]
    played, place = [], 0
    for k, length in enumerate(lengths):
        begin = (place, total - length, 0)[k % 3] if k % 2 == 0 else place
        times = (place / hertz, (place + length) / hertz)
        picture = begin / hertz if filmed else None
        played.append(Played(*times, sounds[k % 2].path, begin / hertz, picture=picture))
        place += length
    rate = rate if filmed else Fraction(30)
    tree = ElementTree.fromstring(fcpxml_text("talk", played, sounds).split("<!DOCTYPE fcpxml>")[1])
    media = {asset.get("id"): seconds_in(asset, "duration") for asset in tree.iter("asset")}
    for clip in tree.iter("asset-clip"):
        start, length = seconds_in(clip, "start"), seconds_in(clip, "duration")
        assert length > 0 and start >= 0 and start + length <= media[clip.get("ref")]
        assert (seconds_in(clip, "offset") * rate).denominator == 1
        assert (length * rate).denominator == 1
        pictured = filmed and clip.get("ref") == "r2" and clip.get("srcEnable") != "audio"
        assert (start * (rate if pictured else hertz)).denominator == 1
    spine = next(tree.iter("spine"))
    edges = [(seconds_in(c, "offset"), seconds_in(c, "duration")) for c in spine]
    assert all(first + length == then for (first, length), (then, _) in pairwise(edges))
    for clip in framed(played, sounds, rate):  # as Final Cut 7 and edit lists have it
        assert (clip.begin * rate).denominator == 1
        assert clip.begin + (clip.last - clip.first) / rate <= clip.sound.length
        assert clip.seen is None or clip.seen + (clip.last - clip.first) / rate <= film.length


def seconds_in(entry: ElementTree.Element, name: str) -> Fraction:
    return Fraction(entry.attrib[name].removesuffix("s"))


def test_a_picture_of_a_film_and_of_its_second_track(
    editor: Editor, arctic: Path, tmp_path: Path
) -> None:
    """It is read with FFmpeg's libraries, as the recording was."""
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    path = made_film(tmp_path / "talk.mov", arctic, tracks=2)
    recording = Recording.open(path, 2)
    result = editor.edit(recording, text=ARCTIC, new_text=NEVER, fit=True, verify=False)
    for ending in ("mov", "wav"):
        (picture,) = export(result, result.save(tmp_path / f"{ending}.{ending}"), ["png"])
        assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_film_out_of_sync_is_refused_when_it_is_planned(
    editor: Editor, arctic: Path, tmp_path: Path
) -> None:
    path = made_film(tmp_path / "talk.mov", arctic)
    new = ARCTIC.replace("always", "never ever")
    command = ["--wav", str(path), "--text", ARCTIC, "--new-text", new, "--out"]

    def job(*more: str) -> ProjectEdit:
        return project_edit(parser().parse_args([*command, *more]))

    with pytest.raises(InputError, match="the picture would no longer match it"):
        job(str(tmp_path / "o.mov")).plan(editor)
    job(str(tmp_path / "o.mov"), "--fit").plan(editor)
    job(str(tmp_path / "o.wav")).plan(editor)


@pytest.mark.parametrize(
    ("more", "package", "needs"),
    [
        (["--export", "srt,png"], "matplotlib", r"a3t\[demo\]"),
        (["--export", "otio"], "OpenTimelineIO", r"a3t\[exports\]"),
        (["--export", "xml"], "otio-fcp-adapter", r"and otio-fcp-adapter: pip .*a3t\[exports\]"),
        (["--export", "docx"], "python-docx", r"python-docx: pip install 'a3t\[exports\]'"),
        (["--new-text", "You *never* want to."], "pyworld", "pyworld"),
    ],
)
def test_a_missing_package_is_named_before_the_work(
    more: list[str], package: str, needs: str, arctic: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(kinds_module, "_is_installed", lambda name: name != package)
    command = ["--wav", str(arctic), "--new-text", NEW, "--out", str(tmp_path / "o.wav"), *more]
    with pytest.raises(InputError, match=needs):
        project_edit(parser().parse_args(command))


def test_a_reaper_project(result: EditedRecording, out: Path) -> None:
    """Read by another program: items follow each other and play what the result plays."""
    rpp = pytest.importorskip("rpp", reason="rpp is not installed")
    (path,) = export(result, out, ["rpp"])
    project = rpp.loads(path.read_text())
    items = project.find("TRACK").findall("ITEM")
    end = 0.0
    for item in items:
        values = {each[0]: each[1] for each in item.children if isinstance(each, list)}
        assert float(values["POSITION"]) == pytest.approx(end, abs=1e-6)
        end += float(values["LENGTH"])
        file = item.find("SOURCE").children[0][1]
        if file.endswith(out.name):
            assert float(values["SOFFS"]) == pytest.approx(float(values["POSITION"]), abs=1e-6)
    assert end == pytest.approx(seconds(out), abs=1e-6)


def test_transcripts_as_documents(result: EditedRecording, out: Path) -> None:
    docx = pytest.importorskip("docx", reason="python-docx is not installed")
    md, word = export(result, out, ["md", "docx"])
    text = md.read_text()
    assert "**[0:00:00]** You **never** want to see it," in text
    paragraphs = docx.Document(str(word)).paragraphs
    assert paragraphs[0].text == out.stem
    assert paragraphs[1].text.startswith("[0:00:00] You never want to see it,")
    bold = [run.text.strip() for run in paragraphs[1].runs if run.bold]
    assert "never" in bold and "want" not in bold


@pytest.mark.parametrize(
    ("frames", "code"), [(0, "00:00:00:00"), (29, "00:00:00:29"), (30 * 3661 + 7, "01:01:01:07")]
)
def test_timecodes(frames: int, code: str) -> None:
    assert timecode(frames) == code


@pytest.mark.parametrize(
    ("pictures", "counted", "timebase", "ntsc"),
    [
        (Fraction(87169000, 2905633), Fraction(30), 30, "FALSE"),
        (Fraction(59999, 1000), Fraction(60), 60, "FALSE"),
        (Fraction(2997, 100), Fraction(30000, 1001), 30, "TRUE"),
        (Fraction(23976, 1000), Fraction(24000, 1001), 24, "TRUE"),
        (Fraction(25), Fraction(25), 25, "FALSE"),
        (Fraction(15), Fraction(15), 30, "FALSE"),
        (Fraction(120), Fraction(120), 60, "FALSE"),
        (Fraction(25, 2), Fraction(25, 2), 25, "FALSE"),
        (Fraction(17), Fraction(17), 30, "FALSE"),
    ],
)
def test_timelines_of_films_of_any_rate(
    pictures: Fraction, counted: Fraction, timebase: int, ntsc: str
) -> None:
    """An hour stays an hour: the nearest standard rate, else one of which it is a part."""
    film = Sound(Path("/talk.mov"), 3600.0, 48_000, 1, pictures)
    assert pictures_of([film]) == counted
    played = [Played(0.0, 3600.0, film.path, 0.0, picture=0.0)]
    pytest.importorskip("opentimelineio")
    root = ElementTree.fromstring(timeline_text("xml", "talk", played, [film]))
    rate = root.find(".//sequence/rate")
    assert rate is not None
    assert (rate.findtext("timebase"), rate.findtext("ntsc")) == (str(timebase), ntsc)
    second = timebase * (1000 / 1001 if ntsc == "TRUE" else 1)
    length = root.findtext(".//sequence/duration")
    assert length is not None and float(length) / second == pytest.approx(3600, abs=0.1)
    assert timeline_text("otio", "talk", played, [film])
    assert fcpxml_text("talk", played, [film])


@pytest.mark.parametrize("size", [(1920, 1080), (1080, 1920), (3840, 2160), (640, 480), None])
def test_final_cut_gets_the_films_own_size(size: tuple[int, int] | None) -> None:
    film = Sound(Path("/talk.mov"), 9.0, 48_000, 1, Fraction(25) if size else None, size)
    played = [Played(0.0, 9.0, film.path, 0.0, picture=0.0 if size else None)]
    root = ElementTree.fromstring(fcpxml_text("talk", played, [film]).split("<!DOCTYPE fcpxml>")[1])
    shape = root.find(".//format")
    assert shape is not None
    assert (shape.get("width"), shape.get("height")) == (
        tuple(map(str, size)) if size else (None,) * 2
    )


@pytest.mark.parametrize(
    ("turned", "size"), [(0, (64, 48)), (90, (48, 64)), (180, (64, 48)), (-90, (48, 64))]
)
def test_an_upright_film_has_its_size_as_it_is_shown(
    turned: int, size: tuple[int, int], arctic: Path, tmp_path: Path
) -> None:
    path = made_film(tmp_path / "talk.mov", arctic, turned=turned)
    assert picture_size(Recording.open(path)) == size
