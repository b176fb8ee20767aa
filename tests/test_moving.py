"""Sentences moved, repeated and taken from another recording, from the text to the files."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from a3t.audio.output.provenance import provenance_of
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.plan.request import EditRequest, OtherRecording
from a3t.projects.export.exports import export
from a3t.projects.replay import replay
from a3t.rendering.edited import EditedRecording
from a3t.rendering.edited_alignment import edited_alignment
from tests.conftest import ARCTIC, NEVER, assert_untouched

FIRST, LAST = "And you always want to see it", "in the superlative degree."
MOVED = f"In the superlative degree {FIRST[0].lower()}{FIRST[1:]}."
FADE = 0.015  # seconds


@pytest.fixture(scope="module")
def moved(editor: Editor, arctic: Path) -> EditedRecording:
    return editor.edit(arctic, text=ARCTIC, new_text=MOVED)


def test_moved_speech_is_the_recordings_own(
    moved: EditedRecording, arctic: Path, tmp_path: Path
) -> None:
    """Bit for bit, in the places that edit.json names; all of it but for two cross-fades."""
    out = moved.save(tmp_path / "moved.wav")
    record = json.loads((tmp_path / "moved.edit.json").read_text())
    (source, rate), (made, _) = (soundfile.read(path, dtype="int16") for path in (arctic, out))
    (entry,) = [edit for edit in record["edits"] if edit.get("taken")]
    (part,) = entry["taken"]
    first, last = part["output"]
    assert np.array_equal(made[first:last], source[slice(*part["source"])])
    length = entry["output"][1] - entry["output"][0]
    assert last - first >= length - 3 * FADE * rate
    assert entry["new_words"] == "In the superlative degree" and not entry["words"]
    assert_untouched(record["edits"], source, made)
    assert moved.plan.windows == ()  # no network was asked


def test_its_words_are_where_the_alignment_says(moved: EditedRecording, editor: Editor) -> None:
    said = edited_alignment(moved)
    assert " ".join(word.text for word in said.spoken) == MOVED.lower().rstrip(".")
    assert said.duration == pytest.approx(moved.map.output_seconds)
    before = {word.text: word for word in moved.plan.alignment.spoken}
    for word in said.spoken:  # none is longer or shorter than it was by more than a joint
        assert word.duration == pytest.approx(before[word.text].duration, abs=0.05)


def test_it_is_told_as_recorded_not_as_made(moved: EditedRecording, tmp_path: Path) -> None:
    told = provenance_of(moved.save(tmp_path / "moved.wav"))
    assert told.synthetic_seconds == 0
    (trace,) = [trace for trace in told.traces if trace.moved]
    assert trace.words == "In the superlative degree"


def test_a_replay_gives_the_same(moved: EditedRecording, tmp_path: Path) -> None:
    out = moved.save(tmp_path / "moved.wav")
    again = replay(tmp_path / "moved.edit.json").save(tmp_path / "again.wav")
    assert again.read_bytes() == out.read_bytes()


def test_timelines_play_it_from_the_recording(moved: EditedRecording, tmp_path: Path) -> None:
    rpp = pytest.importorskip("rpp", reason="rpp is not installed")
    out = moved.save(tmp_path / "moved.wav")
    (path, table) = export(moved, out, ["rpp", "csv"])
    project = rpp.loads(path.read_text())
    items = project.find("TRACK").findall("ITEM")
    files = [dict(x for x in item.find("SOURCE") if isinstance(x, list))["FILE"] for item in items]
    rows = [dict(x[:2] for x in item.children if isinstance(x, list)) for item in items]
    longest = max(range(len(rows)), key=lambda k: float(rows[k]["LENGTH"]))
    assert files[longest].endswith(moved.recording.path.name)
    start = moved.plan.edits[0].taken[0].frames[0] / 80
    own = [
        float(row["SOFFS"]) for row, file in zip(rows, files, strict=True) if "moved" not in file
    ]
    assert any(begin == pytest.approx(start, abs=0.06) for begin in own)
    assert sum(float(row["LENGTH"]) for row in rows) == pytest.approx(moved.map.output_seconds)
    with table.open() as file:
        assert [row["op"] for row in csv.DictReader(file)] == ["insert", "delete"]


def test_moves_can_be_switched_off(editor: Editor, arctic: Path) -> None:
    plan = editor.plan(arctic, text=ARCTIC, new_text=MOVED, moves=False)
    assert not any(edit.taken for edit in plan.edits) and plan.windows
    record = plan.request.to_json()
    assert EditRequest.from_json(record).moves is False
    del record["asked"]["moves"], record["format"]  # of a version that knew none
    assert EditRequest.from_json(record).moves is False


def test_a_word_changed_within_is_made_where_it_was(editor: Editor, arctic: Path) -> None:
    new = "It in the superlative grade and you always want to see."
    result = editor.edit(arctic, text=ARCTIC, new_text=new, verify=False)
    (origin,) = result.plan.source_edits
    assert [(e.old_words, e.new_words) for e in origin.edits] == [("degree.", "grade")]
    grade = ARCTIC.replace("degree.", "grade")
    alone = editor.edit(arctic, text=ARCTIC, new_text=grade, verify=False)
    assert np.array_equal(result.source_edits[0].patches[0].samples, alone.patches[0].samples)
    synthetic = [trace for trace in result.traces if trace.synthetic]
    assert [trace.words for trace in synthetic] == ["grade"]


@pytest.mark.parametrize(("rate", "channels"), [(16_000, 1), (24_000, 2)])
def test_words_from_another_recording(
    editor: Editor, arctic: Path, tmp_path: Path, rate: int, channels: int
) -> None:
    sound, own = soundfile.read(arctic)
    words = editor.align(arctic, ARCTIC).spoken
    cut = round((words[6].end + 0.02) * own)
    soundfile.write(tmp_path / "talk.wav", sound[:cut], own)
    other = soxr.resample(sound, own, rate) / 2
    soundfile.write(tmp_path / "other.wav", np.tile(other[:, None], channels), rate)
    (tmp_path / "other.txt").write_text(ARCTIC)
    request = EditRequest(
        text=FIRST, new_text=ARCTIC, others=(OtherRecording(tmp_path / "other.wav"),)
    )
    result = editor.edit(tmp_path / "talk.wav", request)
    out = result.save(tmp_path / "out.wav")
    assert result.plan.edits[0].taken and not result.plan.windows
    made = soundfile.read(out)[0]
    heard = editor.align(out, ARCTIC)
    assert heard.score > 0.8
    tail = made[round(heard.spoken[7].start * own) : round(heard.spoken[-1].end * own)]
    level = 20 * np.log10(np.std(tail) / np.std(other[round(words[7].start * rate) :]))
    assert 3 < level < 9  # brought to the level of the recording, which is 6 dB louder
    again = replay(tmp_path / "out.edit.json").save(tmp_path / "again.wav")
    assert again.read_bytes() == out.read_bytes()
    soundfile.write(tmp_path / "other.wav", other[::-1], rate)
    with pytest.raises(InputError, match="sha256"):
        replay(tmp_path / "out.edit.json")


def test_a_word_that_is_recorded_is_a_candidate(
    editor: Editor, arctic: Path, tmp_path: Path
) -> None:
    """It says where it comes from, is no synthetic speech, and is made again bit for bit."""
    said = ARCTIC.replace("see", "want")
    plan = editor.plan(arctic, text=ARCTIC, new_text=said, candidates=2)
    results = editor.make(plan)
    (taken,) = [result for result in results if result.plan.edits[0].taken]
    assert {result.plan.edits[0].is_spoken for result in results} == {True, False}
    assert "“want”, recorded at " in taken.plan.describe()
    out = taken.save(tmp_path / "want.wav")
    (entry,) = json.loads((tmp_path / "want.edit.json").read_text())["edits"]
    (part,) = entry["taken"]
    want = plan.alignment.spoken[3]
    assert want.text == "want"
    rate = plan.recording.sample_rate
    assert part["source"][0] < want.end * rate and want.start * rate < part["source"][1]
    (trace,) = provenance_of(out).traces
    assert trace.moved and not trace.synthetic and trace.words == "want"
    again = replay(tmp_path / "want.edit.json").save(tmp_path / "again.wav")
    assert again.read_bytes() == out.read_bytes()


def test_a_word_is_taken_from_another_recording(whole_editor: Editor, arctic: Path) -> None:
    other = OtherRecording(arctic, ARCTIC)
    said = ARCTIC.replace("always", "superlative")
    wanted = EditRequest(new_text=said, text=ARCTIC, others=(other,), candidates=2)
    plan = whole_editor.plan(arctic, wanted)
    recorded = [result.plan.edits[0].taken for result in whole_editor.make(plan)]
    assert sum(map(bool, recorded)) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("whole_networks")
def test_a_word_said_alike_elsewhere_is_a_candidate(
    whole_editor: Editor, arctic: Path, tmp_path: Path
) -> None:
    """The same sentence twice, in one of which the word is another: one of the candidates has it
    from the other, unless another seed is asked for, or it may not move."""
    sound, rate = soundfile.read(arctic, dtype="int16")
    changed = whole_editor.edit(arctic, text=ARCTIC, new_text=NEVER, verify=False)
    path = tmp_path / "twice.wav"
    never, _ = soundfile.read(changed.save(tmp_path / "never.wav"), dtype="int16")
    soundfile.write(path, np.concatenate([sound, never]), rate)
    asked = {"text": f"{ARCTIC} {NEVER}", "new_text": f"{ARCTIC} {ARCTIC}"}
    made = whole_editor.make(whole_editor.plan(path, **asked, candidates=3))
    result = next(each for each in made if each.plan.edits[0].taken)
    (edit,) = result.plan.edits
    assert [speech.words for speech in edit.taken] == [(2, 3)] and not result.doubtful
    assert result.recorded_parts(0)[0].source[1] <= len(sound)
    out = result.save(tmp_path / "out.wav")
    assert replay(tmp_path / "out.edit.json").save(tmp_path / "on.wav").read_bytes() == (
        out.read_bytes()
    )
    for other in ({"seed": 1}, {"moves": False}):
        assert not whole_editor.edit(path, **asked, **other).plan.edits[0].taken
