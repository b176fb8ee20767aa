"""The whole way: what is edited, and above all what is not."""

import json
import threading
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from a3t import Editor
from a3t.audio.analysis.mel import bin_centres, mel_window
from a3t.audio.reading.recording import Recording
from a3t.grid import SAMPLE_RATE, grid_frames
from a3t.plan.request import OtherRecording
from alignment import Alignment, AlignmentError
from tests.conftest import ARCTIC, NEVER, assert_untouched

CASES = {
    "replace": NEVER,
    "delete": "And you want to see it in the superlative degree.",
    "first word": "But you always want to see it in the superlative degree.",
    "appended": "And you always want to see it in the superlative degree, my friend.",
    "three at once": "And you never want to see it clearly in superlative degree.",
    "everything": "Nothing of this is what was said before.",
}


def read(path: Path, dtype: str = "int16") -> np.ndarray:
    return soundfile.read(path, dtype=dtype, always_2d=True)[0]


@pytest.mark.parametrize("case", ["first word", "appended", "three at once", "everything"])
def test_edits_change_only_their_spans(
    case: str, editor: Editor, arctic: Path, tmp_path: Path
) -> None:
    result = editor.edit(arctic, new_text=CASES[case], text=ARCTIC, verify=False)
    out = result.save(tmp_path / "out.wav")
    source, output = read(arctic), read(out)
    assert_untouched(result.record["edits"], source, output)
    changed = sum(edit["output"][1] - edit["output"][0] for edit in result.record["edits"])
    if case != "everything":
        assert changed < 0.75 * len(output)
    for edit in result.record["edits"]:
        if edit["op"] != "delete":
            made = output[slice(*edit["output"])].astype(float)
            assert 100 < np.sqrt((made**2).mean()) < 10_000  # speech, neither silence nor a blast
    info = soundfile.info(out)
    assert (info.samplerate, info.channels, info.subtype) == (16000, 1, "PCM_16")


@pytest.mark.parametrize(
    ("rate", "channels", "subtype", "dtype", "ending"),
    [
        (44100, 2, "PCM_24", "int32", "wav"),
        (48000, 1, "FLOAT", "float32", "wav"),
        (22050, 3, "PCM_16", "int16", "flac"),
        (8000, 1, "PCM_16", "int16", "wav"),
    ],
)
def test_the_recordings_own_format(
    rate: int,
    channels: int,
    subtype: str,
    dtype: str,
    ending: str,
    editor: Editor,
    arctic: Path,
    tmp_path: Path,
) -> None:
    mono = soxr.resample(read(arctic)[:, 0] / 32768.0, 16000, rate)
    gains = np.array([1.0, 0.5, 0.0])[:channels]
    path = tmp_path / f"talk.{ending}"
    soundfile.write(path, mono[:, None] * gains, rate, subtype)
    result = editor.edit(path, new_text=NEVER, text=ARCTIC, verify=False)
    out = result.save(tmp_path / f"out.{ending}")
    source, output = read(path, dtype), read(out, dtype)
    assert_untouched(result.record["edits"], source, output)
    info = soundfile.info(out)
    assert (info.samplerate, info.channels, info.subtype) == (rate, channels, subtype)
    if channels == 3:
        assert not output[:, 2].any()  # a silent channel stays silent
    if channels > 1:
        (first, last) = result.record["edits"][0]["output"]
        made = output[first:last].astype(float)
        assert np.std(made[:, 1]) / np.std(made[:, 0]) == pytest.approx(0.5, abs=0.02)


@pytest.fixture(scope="module")
def call(arctic: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sentence as a telephone network sends it."""
    path = tmp_path_factory.mktemp("call") / "call.wav"
    narrow = soxr.resample(read(arctic)[:, 0] / 32768.0, 16000, 8000)
    soundfile.write(path, narrow, 8000, "ULAW")
    return path


def test_a_telephones_recording_is_heard_and_aligned_as_the_whole_band(
    editor: Editor, arctic: Path, call: Path
) -> None:
    assert editor.transcribe(call).text == ARCTIC
    pairs = zip(editor.align(call, ARCTIC).spoken, editor.align(arctic, ARCTIC).spoken, strict=True)
    late = [abs(one.start - other.start) for one, other in pairs]
    assert np.median(late) < 0.02 and max(late) < 0.06


def test_the_network_sees_noise_above_a_telephones_band(
    arctic: Path, call: Path, tmp_path: Path
) -> None:
    """As in the degraded recordings that it has learnt from, which end in 16 bits at 24 kHz."""
    learnt = tmp_path / "learnt.wav"
    wave = soxr.resample(soundfile.read(call)[0], 8000, SAMPLE_RATE)
    soundfile.write(learnt, wave, SAMPLE_RATE, "PCM_16")
    one, other = (mel_window(Recording.open(path), 0, 200).numpy() for path in (call, learnt))
    above = bin_centres() > 4200
    assert np.abs(one[:, above].mean() - other[:, above].mean()) < 0.1 and one.min() > -6
    assert np.abs(one[:, ~above] - other[:, ~above]).mean() < 0.01


def test_a_telephones_recording_lends_its_words_and_its_voice(
    editor: Editor, call: Path, tmp_path: Path
) -> None:
    """To another call, and to speech after it, which is no wider than it."""
    samples, rate = soundfile.read(call)
    beginning = tmp_path / "beginning.wav"
    soundfile.write(beginning, samples[: round(1.9 * rate)], rate, "ULAW")
    other = OtherRecording(call, ARCTIC)
    plan = editor.plan(
        beginning, text="And you always want to see it", new_text=ARCTIC, others=(other,)
    )
    assert plan.edits[0].taken and not plan.windows
    assert soundfile.info(editor.render(plan).save(tmp_path / "out.wav")).samplerate == 8000
    speech = editor.tts(call, "Nothing of this was said.", prompt_text=ARCTIC).samples
    power = np.abs(np.fft.rfft(speech)) ** 2
    high = np.fft.rfftfreq(len(speech), 1 / SAMPLE_RATE) > 4500
    assert power[high].sum() < 1e-4 * power.sum()


@pytest.mark.parametrize("new_text", [ARCTIC, ARCTIC.upper().replace(".", " !")])
def test_identical_words_give_identical_audio(
    new_text: str, editor: Editor, arctic: Path, tmp_path: Path
) -> None:
    result = editor.edit(arctic, new_text=new_text, text=ARCTIC)
    out = result.save(tmp_path / "same.wav")
    assert result.record["edits"] == []
    assert np.array_equal(read(arctic), read(out))


def test_edit_json(editor: Editor, arctic: Path, tmp_path: Path) -> None:
    result = editor.edit(arctic, new_text=CASES["three at once"], text=ARCTIC, seed=7, verify=False)
    result.save(tmp_path / "a.wav")
    record = json.loads((tmp_path / "a.edit.json").read_text())
    said = json.loads(json.dumps(result.record))
    assert {name: record[name] for name in said} == said
    assert record["source"]["sample_rate"] == 16000
    assert record["source"]["channels"] == 1
    assert record["source"]["samples"] == len(read(arctic))
    assert len(record["source"]["sha256"]) == 64
    assert record["text"] == ARCTIC and record["new_text"] == CASES["three at once"]
    assert [edit["op"] for edit in record["edits"]] == ["replace", "insert", "delete"]
    assert record["edits"][0]["old_words"] == "always"
    assert record["edits"][0]["new_words"] == "never"
    assert record["seed"] == 7
    assert {"align", "plan", "fill", "vocode"} - set(record["seconds"]) <= {"align"}
    words = [word["text"] for word in record["alignment"]["words"] if word["text"]]
    assert words == ARCTIC.lower().strip(".").split()
    for name in ("model", "vocoder"):
        assert record[name]["name"]


def test_the_context_is_the_clean_recording(arctic: Path) -> None:
    """Fault 5: zeros put into the waveform before the mel left a click beside the mask."""
    recording = Recording.open(arctic)
    whole = mel_window(recording, 0, grid_frames(recording.samples, recording.sample_rate))
    part = mel_window(recording, 100, 180)
    assert np.allclose(whole[100:180], part, atol=1e-4)


def test_an_alignment_that_is_given_is_used(editor: Editor, arctic: Path, tmp_path: Path) -> None:
    from alignment.formats import write_alignment

    plan = editor.plan(arctic, new_text=CASES["replace"], text=ARCTIC)
    write_alignment(plan.alignment, tmp_path / "a.TextGrid")
    again = editor.plan(arctic, new_text=CASES["replace"], alignment=tmp_path / "a.TextGrid")
    assert again.edits == plan.edits


def test_another_aligner_is_used_once_it_is_set(editor: Editor, arctic: Path) -> None:
    class Refusing:
        name = "refusing"

        def align(self, *given: object) -> Alignment:
            raise AlignmentError("Not by this one: choose another.")

        align_recording = align

    usual = editor.alignments.aligner
    try:
        editor.alignments.aligner = Refusing()  # type: ignore[assignment]
        with pytest.raises(AlignmentError, match="Not by this one"):
            editor.align(arctic, CASES["delete"])
    finally:
        editor.alignments.aligner = usual


def test_words_of_the_recording_keep_their_pronunciation(editor: Editor, arctic: Path) -> None:
    plan = editor.plan(
        arctic, new_text="And you always want to see the superlative degree.", text=ARCTIC
    )
    heard = {w.text: [p.symbol for p in w.phones] for w in plan.alignment.spoken}
    more = editor.plan(arctic, new_text=ARCTIC.replace("it", "it and"), text=ARCTIC)
    made = [p.symbol for p in more.edits[0].phones if p.word >= 0]
    assert made == heard["and"]


def test_speech_from_a_prompt(editor: Editor, arctic: Path, tmp_path: Path) -> None:
    text = "The quick brown fox jumps over the lazy dog."
    result = editor.tts(arctic, text, prompt_text=ARCTIC)
    out = result.save(tmp_path / "fox.wav")
    samples, rate = soundfile.read(out)
    assert rate == 24000 and samples.ndim == 1
    assert 1.5 < len(samples) / rate < 6.0
    assert 0.005 < np.sqrt((samples**2).mean()) < 0.5
    assert json.loads((tmp_path / "fox.speech.json").read_text())["text"] == text


def test_transcribing_and_aligning(editor: Editor, arctic: Path, tmp_path: Path) -> None:
    talk = tmp_path / "talk.wav"
    talk.write_bytes(arctic.read_bytes())
    talk.with_suffix(".txt").write_text(ARCTIC)
    assert editor.transcribe(talk).text == ARCTIC
    aligned = editor.align(talk)
    assert [word.text for word in aligned.spoken] == list(editor.transcribe(talk).spoken)
    assert aligned == editor.align(arctic, ARCTIC) == editor.plan(talk, new_text=NEVER).alignment


@pytest.mark.usefixtures("nothing_remembered")
def test_editors_in_threads_give_the_same_results_as_one(editor: Editor, arctic: Path) -> None:
    texts = [NEVER, ARCTIC.replace("degree", "form")]
    alone = [
        editor.edit(arctic, new_text=text, text=ARCTIC, seed=k, verify=False).patches
        for k, text in enumerate(texts)
    ]
    together: dict[int, tuple[object, ...]] = {}

    def work(k: int) -> None:
        own = Editor.load()
        made = own.edit(arctic, new_text=texts[k], text=ARCTIC, seed=k, verify=False)
        together[k] = made.patches

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, patches in enumerate(alone):
        for one, other in zip(patches, together[k], strict=True):
            assert np.array_equal(one.samples, other.samples)  # type: ignore[attr-defined]
