"""Verification of results: right words are confirmed, others reported."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.audio.output.patches import Patch, read_patched, sample_map
from a3t.audio.output.provenance import Weights
from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.rendering.edited import EditedRecording
from a3t.rendering.verification import heard_alike, verify
from a3t.text.pronunciation.pronouncer import Pronouncer
from alignment.aligners.network_aligner import NetworkAligner
from tests.conftest import ARCTIC, NEVER

NONE = Weights("none", None)


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    samples = np.random.default_rng(0).normal(0, 0.1, (5000, 2))
    soundfile.write(tmp_path / "x.wav", samples, 16000, "PCM_16")
    return Recording.open(tmp_path / "x.wav")


def test_any_span_of_the_edited_recording_is_read_alone(recording: Recording) -> None:
    rng = np.random.default_rng(1)
    patches = [
        Patch((0, 40), rng.normal(0, 0.1, (90, 2))),
        Patch((500, 900), rng.normal(0, 0.1, (100, 2))),
        Patch((900, 900), rng.normal(0, 0.1, (7, 2))),
        Patch((4000, 5000), rng.normal(0, 0.1, (10, 2))),
    ]
    length = 5000 + sum(patch.growth for patch in patches)
    whole = read_patched(recording, patches, 0, length)
    assert len(whole) == length
    for patch, span in zip(patches, sample_map(recording, patches).changes, strict=True):
        np.testing.assert_array_equal(whole[slice(*span.output)], patch.samples)
    np.testing.assert_array_equal(whole[90:550], recording.read(40, 500) / 2**15)
    for first, last in rng.integers(0, length, (60, 2)):
        first, last = min(first, last), max(first, last)
        np.testing.assert_array_equal(
            read_patched(recording, patches, first, last), whole[first:last]
        )
    with pytest.raises(ValueError, match="not within"):
        read_patched(recording, patches, 0, length + 1)


def patched_with(editor: Editor, arctic: Path, shift: float) -> list[float]:
    """Scores of "always" when its patch holds what is recorded ``shift`` seconds later."""
    recording = Recording.open(arctic)
    plan = editor.plan(recording, new_text=NEVER, text=ARCTIC)
    edit = replace(plan.edits[0], new_words="always")
    same = replace(plan.revision, new_text=plan.text)
    plan = replace(plan, revision=same, edits=(edit,))
    first, last = (round(frame * 200) for frame in edit.source)  # 16 kHz
    away = round(shift * 16000)
    sound = recording.mono()[first + away : last + away, None].astype(np.float64)
    result = verify(EditedRecording(plan, (Patch((first, last), sound),), NONE, NONE))
    assert result.scores is not None
    assert [word.word for word in result.scores[0]] == ["always"]
    return [word.score for word in result.scores[0]]


def test_the_right_word_is_confirmed_and_another_sound_is_not(editor: Editor, arctic: Path) -> None:
    assert patched_with(editor, arctic, 0.0)[0] > 0.8
    assert patched_with(editor, arctic, 1.75)[0] < 0.5  # "superlative" in its place


def test_a_word_that_sounds_like_another_is_doubted(editor: Editor, arctic: Path) -> None:
    """The recorded "see" in the place of "say"."""
    recording = Recording.open(arctic)
    plan = editor.plan(recording, new_text=ARCTIC.replace("see", "say"), text=ARCTIC)
    first, last = recording.samples_in(plan.edits[0].source)
    sound = recording.mono(first, last)[:, None].astype(np.float64)
    result = verify(EditedRecording(plan, (Patch((first, last), sound),), NONE, NONE))
    assert result.doubtful == ("say",)


def test_an_edit_records_the_confidence_of_its_words(
    editor: Editor, arctic: Path, tmp_path: Path
) -> None:
    new = "You never want to see it again in the superlative degree."
    result = editor.edit(arctic, new_text=new, text=ARCTIC)
    assert result.scores is not None and len(result.scores) == len(result.plan.edits)
    words = [[word["word"] for word in edit["heard"]] for edit in result.record["edits"]]
    assert words == [[], ["never"], ["again"]]
    assert all(0 <= word.score <= 1 for words in result.scores for word in words)
    assert result.record["seconds"]["check"] > 0
    unchecked = editor.edit(arctic, new_text=new, text=ARCTIC, verify=False)
    assert unchecked.scores is None and unchecked.doubtful == ()
    assert "heard" not in unchecked.record["edits"][0]
    for one, other in zip(result.patches, unchecked.patches, strict=True):
        np.testing.assert_array_equal(one.samples, other.samples)


def test_only_the_window_is_aligned(
    editor: Editor, arctic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the recording: a minute of silence around it costs nothing more."""
    samples, rate = soundfile.read(arctic)
    silence = np.random.default_rng(0).normal(0, 1e-3, 10 * rate)
    path = tmp_path / "long.wav"
    soundfile.write(path, np.concatenate([silence, samples, silence]), rate)
    result = editor.edit(path, new_text=NEVER, text=ARCTIC, verify=False)
    lengths = []
    align = NetworkAligner.align

    def counted(self: NetworkAligner, samples: np.ndarray, *rest: object, **more: object):
        lengths.append(len(samples))
        return align(self, samples, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(NetworkAligner, "align", counted)
    assert verify(result).doubtful == ()
    assert max(lengths) < 8 * rate


def test_words_that_whisper_hears_otherwise_are_doubted(
    editor: Editor, arctic: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    said = [NEVER.replace("never", "ever")]

    class Hearing:
        def hear(self, samples: np.ndarray, rate: int) -> str:
            return said[-1]

    place = "a3t.rendering.verification."
    monkeypatch.setattr(place + "whisper_model", lambda recogniser: tmp_path)
    monkeypatch.setattr(place + "load_whisper", lambda folder: Hearing())
    result = editor.edit(arctic, new_text=NEVER, text=ARCTIC)
    assert result.doubtful == ("never",)
    said.append(NEVER)
    assert verify(result).doubtful == ()
    said.append("")  # Whisper hears nothing at all
    assert verify(result).doubtful == ("never",)


def test_what_sounds_the_same_is_the_same() -> None:
    pronouncer = Pronouncer()
    spoken = "we sent the red letter to them".split()
    other = "we scent the read letter two them".split()
    assert heard_alike(spoken, other, pronouncer) == [True] * 7
    assert heard_alike(spoken, [], pronouncer) == [False] * 7
    wrong = heard_alike(spoken, "we sent the red ladder to them".split(), pronouncer)
    assert wrong == [True] * 4 + [False] + [True] * 2
