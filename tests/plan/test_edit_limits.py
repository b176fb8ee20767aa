"""Excessive requests are refused in one sentence, before memory is allocated."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from a3t.commands import tts
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.model.variance import durations
from a3t.plan import edit_limits as limits
from a3t.plan.request import EditRequest, SpeechRequest
from a3t.plan.revision import Revision
from a3t.text.transcript import Transcript
from tests.conftest import ARCTIC


@pytest.fixture
def asked_for(editor: Editor, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of phones in each call of the duration network."""
    counts: list[int] = []
    forward = durations.DurationPredictor.forward

    def counted(self: durations.DurationPredictor, phones, edges, count):  # type: ignore[no-untyped-def]
        counts.append(phones.shape[1])
        return forward(self, phones, edges, count)

    monkeypatch.setattr(durations.DurationPredictor, "forward", counted)
    return counts


@pytest.mark.parametrize("new_text", ["word " * 6000, "9" * 5000, "9 " * 6000, "a" * 50_000])
def test_a_long_new_text_is_refused_before_its_durations(
    new_text: str, editor: Editor, arctic: Path, asked_for: list[int]
) -> None:
    with pytest.raises(InputError) as refused:
        editor.plan(arctic, text=ARCTIC, new_text=new_text)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 300
    assert max(asked_for, default=0) < 200


@pytest.mark.parametrize("text", ["word " * 2000, "1234567 " * 1000])
def test_a_text_of_too_many_words_is_not_spoken(text: str, editor: Editor, arctic: Path) -> None:
    with pytest.raises(InputError, match=f"the limit is {limits.MAX_SPOKEN_WORDS}"):
        editor.plan_speech(arctic, text)


@pytest.mark.parametrize(
    ("text", "speed"), [("wonderful " * 300, 0.25), ("word [pause 10] " * 70, 1.0)]
)
def test_long_speech_is_refused(text: str, speed: float, editor: Editor, arctic: Path) -> None:
    with pytest.raises(InputError, match=r"minutes \(the limit is 10\)"):
        editor.tts(arctic, text, prompt_text=ARCTIC, speed=speed)


@pytest.mark.parametrize("speed", [0, -1, 0.2, 4.1, 1e300, float("nan"), float("inf")])
def test_a_speed_that_nobody_speaks_at(speed: float) -> None:
    with pytest.raises(InputError, match=r"out of range for “speed”: use 0\.25 to 4"):
        EditRequest(new_text="Good morning.", speed=speed)


def test_the_commands_refuse_it_before_anything_is_loaded(
    arctic: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--text", "Good morning.", "--out", "x.wav"]
    assert tts.main(["--prompt-wav", str(arctic), *words, "--speed", "0.2"]) == 1
    error = capsys.readouterr().err
    assert "out of range for “speed”: use 0.25 to 4" in error and "loading" not in error


def test_durations_are_predicted_in_pieces(
    editor: Editor, asked_for: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(durations, "MAX_PHONES", 600)
    count = durations.MAX_PHONES + 500
    phones, words = ["AH0"] * count, [k // 3 for k in range(count)]
    found = editor.durations.frames(phones, words)
    assert len(found) == count and asked_for == [durations.MAX_PHONES, 500]
    last = durations.MAX_PHONES
    assert found[:last] == editor.durations.frames(phones[:last], words[:last])


def test_texts_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    long = "x" * (limits.MAX_CHARACTERS + 1)
    for wanted in ({"new_text": long}, {"new_text": "a", "text": long}):
        with pytest.raises(InputError, match="characters is too long"):
            EditRequest(**wanted)  # type: ignore[arg-type]
    monkeypatch.setattr(limits, "MAX_WORDS", 600)
    text = Transcript.from_text("word " * 601)
    with pytest.raises(InputError, match="words is too long"):
        Revision.of(text, Transcript.from_text("word"))


@pytest.mark.parametrize("piece", ["a [pause 1] ", "*a* ", "{} new "])
def test_changes_without_end_are_refused(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_EDITS", 300)
    count = limits.MAX_EDITS + 1
    words: Sequence[str] = [f"w{k // 260}{chr(97 + k % 26)}" for k in range(count)]
    new = "".join(piece.format(word) for word in words)
    with pytest.raises(InputError, match=r"changes \(the limit is 300\)"):
        Revision.of(
            Transcript.from_text(" ".join(words)),
            Transcript.from_text(new),
        )


def test_a_text_with_hardly_a_word_of_the_recording_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before spellings are compared, which takes seconds for each thousand of these words."""
    monkeypatch.setattr(limits, "MAX_NEW_WORDS", 400)
    monkeypatch.setattr("a3t.plan.revision.respelled", None)
    draw = random.Random(0)
    words = ["".join(draw.choices("abcdefgh", k=3)) for _ in range(400)]
    texts = [Transcript.from_text(" ".join(draw.choices(words, k=900))) for _ in range(2)]
    with pytest.raises(InputError, match="words that the recording doesn't have"):
        Revision.of(*texts)


@pytest.mark.parametrize("seed", [2**64, -1, 10**400])
def test_seeds_beyond_any_generator_s(seed: int) -> None:
    with pytest.raises(InputError, match="out of range for “seed”"):
        EditRequest(new_text="a", seed=seed)
    with pytest.raises(InputError, match="out of range for “seed”"):
        SpeechRequest(text="a", seed=seed)


@pytest.mark.parametrize("device", ["meta", "abacus", "xla", "privateuseone", ""])
def test_devices_that_compute_nothing(device: str) -> None:
    with pytest.raises(InputError, match="There is no device"):
        Editor.load(device=device)


@pytest.mark.parametrize("word", ["Москва", "שלום", "αλήθεια", "你好", "हिन्दी", "[silence 2]"])
def test_what_cannot_be_said_is_refused_by_name(word: str, editor: Editor, arctic: Path) -> None:
    text = f"We go to {word} on Monday."
    with pytest.raises(InputError) as of_speech:
        editor.plan_speech(arctic, text, prompt_text=ARCTIC)
    with pytest.raises(InputError) as of_edit:
        editor.plan(arctic, text=ARCTIC, new_text=f"{ARCTIC} {text}")
    assert word in str(of_speech.value) and str(of_speech.value) == str(of_edit.value)
