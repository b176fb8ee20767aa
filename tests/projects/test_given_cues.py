"""Subtitles that were given stay as they are where nothing was edited, shifted by the edits."""

import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import example, given, settings
from hypothesis import strategies as st

from a3t.commands import edit
from a3t.plan.revision import word_map
from a3t.projects.export.given_cues import cues_after
from a3t.rendering.edited_alignment import edited_alignment
from a3t.source.alignments import times_of
from a3t.source.records import GivenCue
from a3t.source.transcripts import cues_in, found_beside
from a3t.text.transcript import Transcript
from alignment.formats.subtitles import subtitles
from alignment.formats.transcripts.cues import CLOCK, Cue, seconds_of
from alignment.formats.transcripts.kinds import read_transcript
from tests.conftest import ARCTIC
from tests.rendering.test_edited_alignment import OLD, STEPS, changed, planned, rendered


def cues_of_three(old: list[str], times: list[tuple[float, float]]) -> tuple[GivenCue, ...]:
    spans = [(k, min(k + 3, len(old))) for k in range(0, len(old), 3)]
    return tuple(
        GivenCue((a, b), times[a][0], times[b - 1][1], " ".join(old[a:b])) for a, b in spans
    )


def cues_of(text: str) -> list[Cue]:
    """The cues of a .srt or .vtt as they stand there, whatever they repeat."""
    found = []
    for block in text.split("\n\n"):
        lines = block.split("\n")
        for k, line in enumerate(lines):
            if times := re.fullmatch(f"({CLOCK}) --> ({CLOCK})", line):
                stamps = seconds_of(times[1]), seconds_of(times[2])
                found.append(Cue(*stamps, " ".join(" ".join(lines[k + 1 :]).split())))
    return found


@settings(max_examples=25)
@given(OLD, STEPS, st.booleans())
@example(  # the last new words are timed after what follows them
    ["ban"] * 11 + ["dot"] * 6 + ["ban"] * 13 + ["dot"],
    [
        ("copy", 36, 8, 28), ("move", 0, 1, 34), ("move", 0, 1, 15),
        ("copy", 0, 4, 15), ("move", 0, 1, 14), ("move", 0, 3, 11),
    ],
    False,
)  # fmt: skip
def test_cues_are_kept_where_nothing_changes(
    old: list[str], steps: list[tuple[str, int, int, int]], sounds: bool
) -> None:
    plan = planned(old, changed(old, steps))
    cues = cues_of_three(old, [*times_of(plan.alignment)])
    music = GivenCue((0, 0), 0.0, cues[0].start, "[Music]")
    source = replace(plan.source, cues=(music, *cues) if sounds else cues)
    result = rendered(replace(plan, source=source))
    shown = plan.revised_text.shown
    layout = cues_after(result)
    written = cues_of(subtitles(edited_alignment(result), shown, layout=layout))
    said = " ".join(cue.text for cue in written).replace("[Music] ", "")
    assert said == " ".join(filter(None, shown))  # every word, in order
    assert all(one.start <= other.start for one, other in pairwise(written))
    edits = plan.revision.whole.edits
    kept = dict(word_map(edits, len(old)).kept_places())
    lengths = [(cue.text, round(cue.end - cue.start, 2)) for cue in written]
    for cue in cues:
        first, last = cue.words
        new = [kept.get(k, -9) for k in range(first, last)]
        touched = any(e.old[0] <= last and first <= e.old[1] for e in edits)
        if not touched and new == list(range(new[0], new[0] + last - first)):
            assert (cue.text, round(cue.end - cue.start, 2)) in lengths
    if not edits:
        assert len(written) == len(cues) + sounds


SRT = """1
00:00:00,000 --> 00:00:00,900
[Music]

2
00:00:01,000 --> 00:00:02,000
One two,
three.

3
00:00:03,500 --> 00:00:04,500
It costs $5 now.
"""


def test_cues_know_their_words(tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    path.write_text(SRT)
    found = found_beside(path)
    assert [(cue.words, cue.text) for cue in found.cues] == [
        ((0, 0), "[Music]"), ((0, 3), "One two, three."), ((3, 8), "It costs $5 now."),
    ]  # fmt: skip
    path.write_text(
        "\n".join(f"{k}\n00:00:0{k},0 --> 00:00:0{k},9\n{w}\n" for k, w in enumerate("abc"))
    )
    words = read_transcript(path)
    assert cues_in(words, Transcript.from_text("a b c")) == ()  # the times of words


def srt(cues: list[Cue]) -> str:
    def stamp(seconds: float) -> str:
        ms = round(seconds * 1000)
        return f"{ms // 3600000:02}:{ms // 60000 % 60:02}:{ms // 1000 % 60:02},{ms % 1000:03}"

    return "\n".join(
        f"{k}\n{stamp(cue.start)} --> {stamp(cue.end)}\n{cue.text}\n"
        for k, cue in enumerate(cues, 1)
    )


@pytest.mark.parametrize("times", [3, pytest.param(910, marks=pytest.mark.slow)])
def test_an_edit_of_a_recording_with_subtitles_has_as_many(
    times: int, arctic: Path, tmp_path: Path
) -> None:
    """910 sentences are an hour; a word is replaced in the middle one, another put in."""
    samples, rate = soundfile.read(arctic, dtype="int16")
    seconds = len(samples) / rate
    soundfile.write(tmp_path / "talk.wav", np.tile(samples, times), rate)
    cues = [Cue(k * seconds, (k + 1) * seconds - 0.01, ARCTIC) for k in range(times)]
    (tmp_path / "talk.srt").write_text(srt(cues))
    said = [ARCTIC] * times
    said[times // 2] = ARCTIC.replace("always", "never ever")
    command = [str(tmp_path / "talk.wav"), "--new-text", " ".join(said), "--yes"]
    assert edit.main([*command, "--export", "srt,vtt,textgrid"]) == 0
    record = json.loads((tmp_path / "talk.edited.edit.json").read_text())
    (change,) = record["edits"]
    growth = (change["output"][1] - change["source"][1]) / rate
    for ending in ("srt", "vtt"):
        found = cues_of((tmp_path / f"talk.edited.{ending}").read_text())
        assert [cue.text for cue in found] == said
        for k, (cue, before) in enumerate(zip(found, cues, strict=True)):
            by = [0.0 if k <= times // 2 else growth, 0.0 if k < times // 2 else growth]
            assert cue.start == pytest.approx(before.start + by[0], abs=2e-3)
            assert cue.end == pytest.approx(before.end + by[1], abs=2e-3)
