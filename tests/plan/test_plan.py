"""Plans for any edit: their phones spell the new text, their frames fit the recording."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.plan.edit_plan import EditPlan, PlannedPhone
from a3t.plan.edit_windows import CONTEXT, MAX_WINDOW_FRAMES, lay_out
from a3t.plan.planner import make_plan
from a3t.plan.prompt import Prompt, speech_plan
from a3t.plan.request import EditRequest, SpeechRequest
from a3t.plan.revision import Revision
from a3t.plan.word_grid import on_grid
from a3t.source.records import AlignedRecording
from a3t.text.transcript import Transcript
from alignment import Alignment, Phone, Word, pause

# A language in which every word is one vowel between two consonants.
WORDS = {
    "ban": "B AE1 N", "dot": "D AA1 T", "feel": "F IY1 L", "good": "G UH1 D", "kit": "K IH1 T",
    "lock": "L AA1 K", "moon": "M UW1 N", "pen": "P EH1 N", "rose": "R OW1 Z", "song": "S AO1 NG",
}  # fmt: skip
SPOKEN = st.lists(st.sampled_from(sorted(WORDS)), min_size=1, max_size=14)


class SixFrames:
    """A duration predictor that says 6 frames of every phone, and 12 of a pause."""

    def frames(self, symbols: Sequence[str], words: Sequence[int]) -> list[float]:
        return [12.0 if symbol == "sp" else 6.0 for symbol in symbols]


def aligned(
    words: Sequence[str], seconds: float = 0.1, seed: int = 0, often: float = 0.3
) -> Alignment:
    """Each phone takes ``seconds``; silence of 0.2 s at the ends, and ``often`` after a word."""
    rng = np.random.default_rng(seed)
    result = [pause(0.0, 0.2)]
    now = 0.2
    for k, word in enumerate(words):
        phones = []
        for symbol in WORDS[word].split():
            phones.append(Phone(symbol, now, now + seconds))
            now += seconds
        result.append(Word(word, phones[0].start, now, 1.0, tuple(phones)))
        if k + 1 == len(words) or rng.random() < often:
            result.append(pause(now, now + 0.2))
            now += 0.2
    return Alignment(tuple(result), now)


def planned(
    old: Sequence[str], new: Sequence[str], speed: float = 1.0, fit: bool = False, margin: int = 2
) -> EditPlan:
    wanted = {"speed": speed, "fit": fit, "margin": margin / 80}
    return plan_of(" ".join(old), " ".join(new), **wanted)


def plan_of(old: str, new: str, alignment: Alignment | None = None, **wanted: object) -> EditPlan:
    """The plan between two texts, of a recording that is as long as its alignment."""
    text = Transcript.from_text(old)
    alignment = alignment or aligned(text.spoken)
    request = EditRequest(new_text=new, **wanted)  # type: ignore[arg-type]
    revision = Revision.of(text, request.new_transcript)
    spoken = [WORDS[word].split() for word in revision.new_text.spoken]
    source = AlignedRecording(recording_of(alignment), text, alignment)
    return make_plan(source, request, revision, spoken, SixFrames())  # type: ignore[arg-type]


def recording_of(alignment: Alignment) -> Recording:
    """A recording that is as long as its alignment; there is no file of it."""
    samples = int(alignment.duration * 80) * 300
    return Recording(Path("none.wav"), 24_000, 1, samples, "PCM_16", "WAV")


def phones_of(plan: EditPlan) -> list[str]:
    """The phones of the edited speech from its first to its last frame, pauses left out."""
    edits = list(plan.edits)
    symbols: list[str] = []
    for phone in plan.phones:
        while edits and edits[0].source[0] <= phone.first:
            symbols += [made.symbol for made in edits.pop(0).phones]
        if not any(e.source[0] <= phone.first < e.source[1] for e in plan.edits):
            symbols.append(phone.symbol)
    for edit in edits:
        symbols += [made.symbol for made in edit.phones]
    return [symbol for symbol in symbols if symbol != "sp"]


@given(SPOKEN, SPOKEN)
def test_the_edited_speech_says_the_new_text(old: list[str], new: list[str]) -> None:
    plan = planned(old, new)
    assert phones_of(plan) == [phone for word in new for phone in WORDS[word].split()]


@given(SPOKEN, SPOKEN)
def test_removed_frames_fit_the_recording_and_never_overlap(old: list[str], new: list[str]) -> None:
    plan = planned(old, new)
    reached = 0
    for edit in plan.edits:
        first, last = edit.remade
        assert reached <= first - edit.overlap[0] <= edit.source[0] <= edit.source[1]
        reached = last + edit.overlap[1]
        assert reached <= plan.frames
        assert all(phone.frames >= 1 for phone in edit.phones)
        assert (edit.op == "delete") == (not edit.phones)
        assert max(edit.margin) <= 2


@given(SPOKEN, SPOKEN)
def test_windows_show_kept_frames_and_mask_new_ones(old: list[str], new: list[str]) -> None:
    plan = planned(old, new)
    seen: set[int] = set()
    for window in plan.windows:
        frames = lay_out(plan, window)
        made = sum(plan.edits[k].frames for k in window.edits)
        assert len(frames.source) <= MAX_WINDOW_FRAMES + CONTEXT + made
        assert frames.masked[frames.source < 0].all()
        kept = frames.source[frames.source >= 0]
        assert (np.diff(kept) > 0).all()
        for k in window.edits:
            seen.add(k)
            first, last = frames.spans[k]
            assert (frames.source[first:last] == -1).all()
            assert last - first == plan.edits[k].frames
            gone = range(*plan.edits[k].source)
            assert not set(kept.tolist()) & set(gone)
        # Nothing is made anew but the new words and the margins of their neighbours.
        remade = {f for k in window.edits for f in range(*plan.edits[k].remade)}
        assert set(frames.source[frames.masked & (frames.source >= 0)].tolist()) <= remade
        assert len(frames.phone_of_frame) == len(frames.source)
    assert {k for k, edit in enumerate(plan.edits) if edit.phones} <= seen


@given(SPOKEN)
def test_the_same_words_are_no_edit(words: list[str]) -> None:
    plan = planned(words, words)
    assert plan.edits == () and plan.windows == ()


def test_new_words_take_the_speakers_time() -> None:
    """The recording's phones take 0.1 s, 8 frames, where 6 are expected: so 4/3 of 6 each."""
    plan = planned(["ban", "dot", "feel"], ["ban", "good", "feel"])
    assert [phone.frames for phone in plan.edits[0].phones] == [8, 8, 8]
    assert plan.rate == pytest.approx(4 / 3)
    fast = planned(["ban", "dot", "feel"], ["ban", "good", "feel"], speed=2.0)
    assert fast.edits[0].frames == 12


@given(st.integers(3, 5), st.integers(3, 5))
def test_fitted_words_take_the_time_of_what_they_replace(old: int, new: int) -> None:
    plan = planned(["ban", *["dot"] * old, "feel"], ["ban", *["good"] * new, "feel"], fit=True)
    (edit,) = plan.edits
    assert edit.frames == edit.source[1] - edit.source[0]
    assert edit.scale == pytest.approx((edit.source[1] - edit.source[0]) / (new * 24.0))


def test_words_that_cannot_be_spoken_in_the_time_are_refused() -> None:
    with pytest.raises(InputError, match=r"“good good.*” would take 4.0 times as long"):
        planned(["ban", "dot", "feel"], ["ban", *["good"] * 4, "feel"], fit=True)


@given(SPOKEN, SPOKEN, st.integers(0, 20))
def test_any_margin_leaves_room_for_the_joints(old: list[str], new: list[str], margin: int) -> None:
    reached = 0
    for edit in planned(old, new, margin=margin).edits:
        assert max(edit.margin) <= margin
        assert reached <= edit.remade[0] - edit.overlap[0]
        reached = edit.remade[1] + edit.overlap[1]


def test_an_alignment_of_another_text_is_refused() -> None:
    with pytest.raises(InputError, match="words of the alignment"):
        plan_of("ban dot", "ban dot", aligned(["ban"]))


def test_more_than_a_minute_in_one_edit_is_refused() -> None:
    with pytest.raises(InputError, match="more than a minute"):
        planned(["ban"], ["ban", *["dot", "feel"] * 110])


@given(SPOKEN, SPOKEN)
def test_a_prompt_is_followed_by_its_target(prompt: list[str], target: list[str]) -> None:
    alignment = aligned(prompt)
    grid = on_grid(alignment, 1 + int(alignment.duration * 80))
    own = Prompt(
        np.zeros((grid[-1].last, 80), np.float32),
        grid,
        1.0,
    )
    window = speech_plan(
        [],
        own,
        Transcript.from_text(" ".join(target)),
        [WORDS[word].split() for word in target],
        SixFrames(),  # type: ignore[arg-type]
        SpeechRequest(text=" ".join(target)),
    ).window
    prompted = grid[-1].last
    assert not window.masked[:prompted].any() and window.masked[prompted:].all()
    new = [phone.symbol for phone in window.phones if isinstance(phone, PlannedPhone)]
    assert [s for s in new if s != "sp"] == [p for w in target for p in WORDS[w].split()]


def test_a_pause_is_an_edit_without_words() -> None:
    (edit,) = plan_of("ban dot feel", "ban dot [pause 0.4] feel").edits
    assert (edit.op, edit.old, edit.new) == ("insert", (2, 2), (2, 2))
    assert edit.new_words == "[pause 0.4]" and not edit.is_spoken
    assert [phone.symbol for phone in edit.phones] == ["sp"] and edit.frames == 32
    assert edit.margin == (0, 0)
    assert plan_of("ban dot feel", "ban dot [pause 0.4] feel").windows == ()


@pytest.mark.parametrize("new", ["[pause 1] ban dot", "ban dot [pause 1]", "ban [pause 1] dot"])
def test_pauses_anywhere_take_their_time(new: str) -> None:
    (edit,) = plan_of("ban dot", new).edits
    assert edit.frames == 80


def test_a_pause_that_the_old_text_has_is_there_already() -> None:
    old = "ban [pause 0.4] dot feel"
    assert plan_of(old, "ban [pause 0.4] dot feel").edits == ()
    (edit,) = plan_of(old, "ban [pause 0.4] kit feel").edits
    assert all(phone.symbol != "sp" for phone in edit.phones)


def test_pauses_among_new_words_and_for_deleted_ones() -> None:
    (edit,) = plan_of("ban feel", "ban dot [pause 0.5] kit feel", speed=2.0).edits
    assert [(word.text, word.frames) for word in edit.words][1] == ("", 40)  # at any speed
    (gone,) = plan_of("ban dot feel", "ban [pause 0.5] feel").edits
    assert (gone.op, gone.old_words, gone.frames) == ("replace", "dot", 40)
    assert gone.source[0] < gone.source[1]


def test_an_emphasised_word_is_resynthesised() -> None:
    (edit,) = plan_of("ban dot feel", "ban *dot* feel").edits
    assert (edit.op, edit.old_words, edit.new_words) == ("replace", "dot", "dot")
    assert [word.emphasis for word in edit.words] == [True]
    assert plan_of("ban *dot* feel", "ban *dot* feel").edits == ()


@given(st.floats(0.3, 1.5))
def test_a_duration_is_kept_to_the_frame(seconds: float) -> None:
    (edit,) = plan_of("ban feel", "ban good kit feel", duration=seconds).edits
    assert edit.frames == round(seconds * 80)
    assert edit.scale == pytest.approx(edit.frames / 48)


def test_a_duration_is_for_one_place() -> None:
    with pytest.raises(InputError, match="they are in 2"):
        plan_of("ban dot feel", "good dot kit", duration=0.5)


def test_an_edited_plan_file_changes_only_the_edited_durations() -> None:
    plan = plan_of("ban dot feel", "ban good, kit feel")
    lengths = tuple(tuple(word.seconds for word in edit.words) for edit in plan.edits)
    again = plan_of("ban dot feel", "ban good, kit feel", lengths=lengths)
    assert again.edits == plan.edits
    good, pause_, kit = lengths[0]
    slower = plan_of("ban dot feel", "ban good, kit feel", lengths=((2 * good, pause_, kit),))
    word = slower.edits[0].words[0]
    assert word.seconds == 2 * good and word.scale == pytest.approx(2.0)
    assert slower.edits[0].phones[3:] == plan.edits[0].phones[3:]


@pytest.mark.parametrize(
    ("lengths", "reason"),
    [
        (((0.3, 0.2),), "another edit"),
        (((0.3,), (0.3,)), "another edit"),
        (((0.01,),), "at least 0.04 s"),
        (((3.0,),), "times as slowly"),
    ],
)
def test_impossible_lengths(lengths: object, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        plan_of("ban dot feel", "ban good feel", lengths=lengths)


@pytest.mark.parametrize(
    ("old", "new", "is_behind"),
    [
        ("ban dot feel", "ban kit dot feel", False),
        ("ban, dot feel", "ban, kit dot feel", True),
        ("ban, dot feel", "ban kit, dot feel", False),
    ],
)
def test_what_is_inserted_at_a_pause_stands_by_punctuation_else_before_it(
    old: str, new: str, is_behind: bool
) -> None:
    alignment = aligned(["ban", "dot", "feel"], often=1.0)
    (edit,) = plan_of(old, new, alignment).edits
    silent = alignment.words[2]
    place = silent.end if is_behind else silent.start
    assert edit.source[0] / 80 == pytest.approx(place, abs=0.05)
