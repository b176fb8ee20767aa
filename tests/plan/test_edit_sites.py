"""Edits in difficult places: at the ends, at and across pauses, in clipped speech."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from a3t.audio.output.patches import insert_patches
from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.plan.edit_sites import place_edits
from a3t.plan.word_grid import WordFrames
from a3t.source.records import AlignedRecording
from a3t.text.comparison.edit_script import WordEdit
from a3t.text.transcript import Transcript
from tests.conftest import ARCTIC, assert_untouched

TEXT = f"{ARCTIC} {ARCTIC}"
CASES = {
    "before the start and after the end": f"Well, {TEXT} My friend.",
    "across a pause": f"{ARCTIC[:-8]} form. But{ARCTIC[3:]}",
    "a pause deleted with its words": TEXT.replace("degree. And you always", "always"),
    "a pause spoken over": TEXT.replace("degree. And", "forms that"),
}
NEAR = TEXT.replace("always want to", "never want I to", 1)
APART = TEXT.replace("always", "never")  # one in either sentence


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory, arctic: Path) -> Path:
    """The sentence twice, clipped, with 0.6 s of its own silence between."""
    samples, rate = soundfile.read(arctic)
    silence = np.concatenate([samples[-3000:][::-1], samples[-3000:]])
    sound = np.concatenate([samples, silence[:9600], samples])
    loud = np.clip(sound / np.abs(sound).max() * 3.0, -1, 1)
    path = tmp_path_factory.mktemp("places") / "talk.wav"
    soundfile.write(path, loud, rate, "PCM_16")
    return path


@pytest.fixture(scope="module")
def aligned(editor: Editor, talk: Path) -> AlignedRecording:
    return editor.plan(talk, new_text=TEXT, text=TEXT).source


@pytest.mark.parametrize("case", CASES)
def test_only_the_spans_change_and_nothing_wraps(
    case: str, editor: Editor, whole_editor: Editor, talk: Path, aligned: AlignedRecording
) -> None:
    loud = case == "before the start and after the end"  # too loud by networks of one block
    result = (whole_editor if loud else editor).edit(aligned, new_text=CASES[case], verify=False)
    recording = Recording.open(talk)
    source, output = recording.read(), np.concatenate([*insert_patches(recording, result.patches)])
    assert_untouched(result.record["edits"], source, output)
    # A sample that wraps at full scale jumps by nearly all of it.
    jumps = np.abs(np.diff(output[:, 0].astype(int)))
    assert jumps.max() <= max(np.abs(np.diff(source[:, 0].astype(int))).max(), 40_000)
    assert all(np.abs(patch.samples).max() <= 1.1 for patch in result.patches)  # then clipped


def test_near_edits_are_filled_together(
    editor: Editor, talk: Path, aligned: AlignedRecording
) -> None:
    near, far = (editor.plan(aligned, new_text=new) for new in (NEAR, APART))
    assert len(near.edits) == len(far.edits) == 2
    assert len(near.windows) == 1 and len(far.windows) == 2


def test_a_pause_between_kept_words_stays(
    editor: Editor, talk: Path, aligned: AlignedRecording
) -> None:
    for new in (f"{ARCTIC[:-8]} form. {ARCTIC}", f"{ARCTIC} But{ARCTIC[3:]}"):
        (edit,) = editor.plan(aligned, new_text=new).edits
        pause = next(
            p
            for p in aligned.alignment.words[3:-3]
            if p.is_pause and 3 < p.start < 6 and p.duration > 0.3
        )
        first, last = (frame / 80 for frame in edit.source)
        assert last <= pause.start + 0.03 or first >= pause.end - 0.03
        assert all(phone.symbol != "sp" for phone in edit.phones)


@pytest.mark.slow
def test_a_file_beyond_four_gigabytes(editor: Editor, arctic: Path, tmp_path: Path) -> None:
    """RF64: the sentence at both ends of four hours of stereo silence; the last word changes."""
    rate, hours = 48_000, 4.2
    samples = np.repeat(soundfile.read(arctic, dtype="int32")[0], 3)[:, None].repeat(2, axis=1)
    silence, seconds = np.zeros((rate * 60, 2), np.int32), len(samples) / rate
    path = tmp_path / "long.wav"
    with soundfile.SoundFile(path, "w", rate, 2, "PCM_24", format="RF64") as file:
        file.write(samples)
        for _ in range(int(hours * 60)):
            file.write(silence)
        file.write(samples)
        length = file.frames
    assert path.stat().st_size > 2**32
    late = length / rate - seconds
    lines = []
    for number, start in enumerate((0.0, late)):
        ends = (
            f"{int(t // 3600):02}:{int(t // 60 % 60):02}:{t % 60:06.3f}"
            for t in (start, start + seconds)
        )
        lines.append(f"{number}\n{' --> '.join(ends)}\n{ARCTIC}\n")
    path.with_suffix(".srt").write_text("\n".join(lines))
    result = editor.edit(path, new_text=f"{ARCTIC} {ARCTIC[:-8]} form.")
    out = result.save(tmp_path / "out.wav")
    info = soundfile.info(out)
    (edit,) = result.record["edits"]
    grown = (edit["output"][1] - edit["output"][0]) - (edit["source"][1] - edit["source"][0])
    assert (info.format, info.subtype, info.frames) == ("RF64", "PCM_24", length + grown)
    assert edit["source"][0] / rate > late
    with soundfile.SoundFile(path) as old, soundfile.SoundFile(out) as new:
        for place, shift in ((0, 0), (int(late * rate), 0), (edit["source"][1], grown)):
            old.seek(place)
            new.seek(place + shift)
            count = min(1000, length - place)
            assert np.array_equal(old.read(count, "int32"), new.read(count, "int32"))
    path.unlink()  # pytest would keep both
    out.unlink()


@pytest.mark.parametrize(
    ("unwritten", "removed"),
    [([], (10, 30)), ([1], (20, 42)), ([2], (10, 30)), ([1, 2], (20, 30)), ([0, 3], (10, 30))],
)
def test_a_deleted_word_takes_a_pause_with_it_but_no_sound(
    unwritten: list[int], removed: tuple[int, int]
) -> None:
    words = WordFrames(((0, 10), (20, 30), (42, 50)), 60, frozenset(unwritten))
    old, new = Transcript.from_text("one two three"), Transcript.from_text("one three")
    (place,) = place_edits([WordEdit("delete", (1, 2), (1, 1))], words, old, new)
    assert place.frames == removed


# Where the recording pauses, as it was said and as it becomes; the new words in capitals.
INSERTED = [
    ("it was sung out | tear up the planks", "it was sung out LOUDLY | tear up the planks"),
    ("he said | nothing at all", "he said ALMOST, | nothing at all"),
    ("we met at noon | then we left", "we met at noon YESTERDAY | then we left"),
    ("they came home | it was late", "they came home EARLY | it was late"),
    ("she smiled | he left", "she smiled | AND he left"),
    ("the door opened | man came in", "the door opened | A man came in"),
    ("he waited | she came", "he waited UNTIL LATE, | she came"),
    ("he ran | dog barked", "he ran | WHILE THE dog barked"),
    ("I know him | he is kind", "I know him WELL | he is kind"),
    ("it rained | we stayed", "it rained HARD ALL DAY | we stayed"),
    ("it rained | we stayed", "it rained | SO we stayed"),
    ("he looked up | stars shone", "he looked up | WHERE stars shone"),
    ("the ship sank | nobody knew", "the ship sank | BUT nobody knew"),
    ("the ship sank | nobody knew", "the ship sank SLOWLY | nobody knew"),
    ("open it | says he", "open it NOW | says he"),
    ("open it, | says he", "open it, | SLOWLY says he"),
    ("open it, | says he", "open it NOW, | says he"),
    ("look | a bird", "look THERE | a bird"),
    ("we ate | slept", "we ate | OR slept"),
    ("stay here. | go on", "stay here. | PLEASE go on"),
]


@pytest.mark.parametrize(("old", "new"), INSERTED)
def test_new_words_at_a_pause_stand_where_a_reader_would_say_them(old: str, new: str) -> None:
    pause = old.split().index("|")
    text = Transcript.from_text(old.replace("| ", ""))
    new_text = Transcript.from_text(new.replace("| ", ""))
    spans = [
        (20 * k + 30 * (k >= pause), 20 * k + 20 + 30 * (k >= pause))
        for k in range(len(text.words))
    ]
    words = WordFrames(tuple(spans), spans[-1][1] + 10, frozenset())
    count = len(new_text.words) - len(text.words)
    (place,) = place_edits(
        [WordEdit("insert", (pause, pause), (pause, pause + count))], words, text, new_text
    )
    before = new.split().index("|") > pause
    assert place.frames == ((20 * pause,) * 2 if before else (20 * pause + 30,) * 2)
