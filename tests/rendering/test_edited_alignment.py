"""The words of a result are those of its text, in order, one after the other: in every export."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import example, given, settings
from hypothesis import strategies as st

from a3t.audio.output.patches import Patch
from a3t.audio.output.provenance import Weights
from a3t.grid import HOP
from a3t.plan.edit_plan import EditPlan
from a3t.plan.planner import make_plan
from a3t.plan.request import EditRequest
from a3t.plan.revision import Revision
from a3t.projects.export.export_kinds import ENDINGS, export_files
from a3t.projects.export.exports import export
from a3t.rendering.edited import EditedRecording, ReusedExcerpt
from a3t.rendering.edited_alignment import edited_alignment
from a3t.source.alignments import cut, ranges_around, times_of
from a3t.source.records import AlignedRecording
from a3t.text.transcript import Transcript
from alignment.formats import read_alignment
from tests.plan.test_plan import WORDS, SixFrames, aligned, recording_of

MODEL = Weights("none", None)
KINDS = ("move", "copy", "delete", "insert", "replace", "pause")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(KINDS), st.integers(0, 60), st.integers(1, 14), st.integers(0, 60)
    ),
    min_size=1, max_size=8,
)  # fmt: skip
OLD = st.lists(st.sampled_from(sorted(WORDS)), min_size=8, max_size=40)


def changed(old: list[str], steps: list[tuple[str, int, int, int]]) -> str:
    """A text after somebody has moved, copied, deleted, put in and replaced words."""
    words = list(old)
    for kind, first, count, to in steps:
        first, to = first % max(len(words), 1), to % (len(words) + 1)
        part = words[first : first + count]
        rest = words[:first] + words[first + count :]
        if kind in ("move", "delete") and any(word in WORDS for word in rest):
            words = rest  # a text has words to say
        match kind:
            case "move" | "copy":
                words[to:to] = part
            case "insert":
                words[to:to] = ["moon", "pen"][: 1 + count % 2]
            case "replace":
                words[first : first + 1] = ["rose"]
            case "pause":
                words.insert(to, "[pause 0.3]")
    return " ".join(words)


def planned(old: list[str], new: str, long: bool = False, times: bool = True) -> EditPlan:
    """A plan, be it one of a long recording that is aligned around the edits alone."""
    text = Transcript.from_text(" ".join(old))
    request = EditRequest(new_text=new)
    revision, alignment = Revision.of(text, request.new_transcript), aligned(old)
    source = AlignedRecording(recording_of(alignment), text, alignment)
    if long and revision.edits:
        ranges = ranges_around(revision.edits, times_of(alignment))
        if ranges != ((0, len(old)),):
            known = times_of(alignment) if times else None
            passages = cut(alignment, ranges)
            source = AlignedRecording(source.recording, text, passages, ranges, times=known)
            revision = revision.within(ranges, text)
    spoken = [WORDS[word].split() for word in revision.new_text.spoken]
    return make_plan(source, request, revision, spoken, SixFrames())  # type: ignore[arg-type]


def rendered(plan: EditPlan) -> EditedRecording:
    """A result of a plan as long as it should be, of silence."""
    origins = tuple(map(rendered, plan.source_edits))
    patches, excerpts = [], []
    for edit in plan.edits:
        length, own = edit.frames, []
        for speech in edit.taken:
            output = origins[speech.origin].map.samples
            first, last = output.output_span((speech.frames[0] * HOP, speech.frames[1] * HOP))
            begin = (length + speech.pauses[0]) * HOP
            own.append(ReusedExcerpt(speech.origin, (first, last), begin, True))
            length += sum(speech.pauses) + (last - first) // HOP
        first, last = edit.remade
        samples = np.zeros(((length + sum(edit.margin)) * HOP, 1))
        patches.append(Patch((first * HOP, min(last * HOP, plan.recording.samples)), samples))
        excerpts.append(tuple(own))
    return EditedRecording(
        plan, tuple(patches), MODEL, MODEL, source_edits=origins, excerpts=tuple(excerpts)
    )


def assert_in_order(result: EditedRecording) -> None:
    alignment = edited_alignment(result)
    assert [w.text for w in alignment.spoken] == list(result.plan.revised_text.spoken)
    assert alignment.words[0].start == 0.0
    assert alignment.words[-1].end == pytest.approx(result.map.output_seconds)
    for word in alignment.words:
        assert word.start < word.end
        edges = [edge for phone in word.phones for edge in (phone.start, phone.end)]
        assert edges == sorted(edges)
        assert not edges or (edges[0], edges[-1]) == (word.start, word.end)
    assert all(left.end == right.start for left, right in pairwise(alignment.words))


@given(OLD, STEPS)
@example(  # two copies from one place meet where one of them has a word more
    ["ban"] * 4 + ["dot"] + ["ban"] * 3, [("copy", 0, 4, 5), ("copy", 0, 5, 0), ("move", 0, 1, 9)]
)
def test_words_follow_each_other_after_any_edits(
    old: list[str], steps: list[tuple[str, int, int, int]]
) -> None:
    assert_in_order(rendered(planned(old, changed(old, steps))))


@settings(max_examples=10)
@given(st.integers(0, 200), STEPS, st.booleans())
def test_all_words_of_a_long_recording_are_there(
    first: int, steps: list[tuple[str, int, int, int]], times: bool
) -> None:
    """Those that aren't aligned are where the transcript has them, shifted by the edits."""
    old = sorted(WORDS) * 25
    changed_part = changed(old[first : first + 20], steps).split()
    new = " ".join([*old[:first], *changed_part, *old[first + 20 :]])
    plan = planned(old, new, long=True, times=times)
    result = rendered(plan)
    assert_in_order(result)
    said, known = edited_alignment(result).spoken, times_of(aligned(old))
    if times and plan.passages:
        growth = result.map.output_seconds - plan.recording.seconds
        for k in range(plan.passages[0][0]):
            assert said[k].start == pytest.approx(known[k][0], abs=0.02)
        for k in range(1, len(old) - plan.passages[-1][1] + 1):
            assert said[-k].start == pytest.approx(known[-k][0] + growth, abs=0.02)


def scripts(count: int) -> list[tuple[list[str], str]]:
    """Random texts, and what becomes of them."""
    rng = np.random.default_rng(3)
    made = []
    for _ in range(count):
        old = [str(word) for word in rng.choice(sorted(WORDS), rng.integers(8, 40))]
        steps = [
            (
                str(rng.choice(KINDS)),
                *map(int, (rng.integers(60), rng.integers(1, 14), rng.integers(60))),
            )
            for _ in range(rng.integers(1, 9))
        ]
        made.append((old, changed(old, steps)))  # type: ignore[arg-type]
    return made


@pytest.mark.parametrize("count", [6, pytest.param(200, marks=pytest.mark.slow)])
def test_every_export_is_written_after_any_edits(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("opentimelineio", "docx", "praatio"):
        pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("alignment.atomic._flush", lambda path: None)  # a power cut is no subject
    soundfile.write("none.wav", np.zeros(24_000), 24_000)
    kinds = [kind for kind in ENDINGS if kind != "png"]  # a picture shows the sound
    for old, new in scripts(count):
        result = rendered(planned(old, new))
        export(result, tmp_path / "o.wav", kinds)
        assert all(path.stat().st_size for path in export_files(tmp_path / "o.wav", kinds))
        grid = read_alignment(tmp_path / "o.TextGrid")
        assert [w.text for w in grid.spoken] == list(result.plan.revised_text.spoken)
