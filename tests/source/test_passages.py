"""Long recordings: only the passages around the edits are aligned, and they suffice."""

from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.plan.edit_plan import EditPlan
from a3t.plan.planner import make_plan
from a3t.plan.request import EditRequest
from a3t.plan.revision import Revision
from a3t.projects.replay import replay, source_in
from a3t.source.alignments import (
    CONTEXT,
    MAX_CACHED_FILES,
    AlignmentStore,
    alignment_path,
    cache_alignment,
    cached_alignment,
    cut,
    ranges_around,
    times_of,
)
from a3t.source.records import AlignedRecording, FoundTranscript
from a3t.source.transcripts import times_in
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript
from alignment import Alignment
from alignment.aligners.network_aligner import NetworkAligner
from alignment.formats.transcripts.kinds import read_transcript
from tests.conftest import ARCTIC, NEVER, assert_untouched
from tests.plan.test_plan import WORDS, SixFrames, aligned, recording_of

LONG_TEXT = st.lists(st.sampled_from(sorted(WORDS)), min_size=120, max_size=160)
CHANGES = st.lists(
    st.tuples(st.integers(0, 159), st.sampled_from(["insert", "delete", "replace", "pause"])),
    min_size=1, max_size=3,
)  # fmt: skip


@settings(max_examples=10)
@given(LONG_TEXT, CHANGES)
def test_the_passages_give_the_plan_of_the_whole(
    old: list[str], changes: list[tuple[int, str]]
) -> None:
    written = list(old)
    for place, kind in sorted(changes, reverse=True):
        place = min(place, len(written) - 1)
        if kind == "pause":
            written.insert(place, "[pause 0.3]")
        else:
            written[place : place + (kind != "insert")] = [] if kind == "delete" else ["moon pen"]
    text, new = Transcript.from_text(" ".join(old)), Transcript.from_text(" ".join(written))
    whole, revision = aligned(old), Revision.of(text, new)
    ranges = ranges_around(revision.edits, times_of(whole))
    part, passages = revision.within(ranges, text), cut(whole, ranges)
    assert [word.text for word in passages.spoken] == list(part.text.spoken)

    def planned(revision: Revision, alignment: Alignment) -> EditPlan:
        source = AlignedRecording(recording_of(whole), text, alignment)
        request = EditRequest(new_text=new.text)
        spoken = [WORDS[word].split() for word in revision.new_text.spoken]
        return make_plan(source, request, revision, spoken, SixFrames())  # type: ignore[arg-type]

    expected, found = planned(revision, whole), planned(part, passages)
    for one, other in zip(found.edits, expected.edits, strict=True):
        assert (one.op, one.old_words, one.new_words) == (
            other.op,
            other.old_words,
            other.new_words,
        )
        assert (one.source, one.margin, one.overlap) == (other.source, other.margin, other.overlap)
        assert [(p.symbol, p.frames) for p in one.phones] == [
            (p.symbol, p.frames) for p in other.phones
        ]
    assert [w.source for w in found.windows] == [w.source for w in expected.windows]


@settings(max_examples=20)
@given(st.integers(0, 149))
def test_a_passage_has_its_context_and_little_more(word: int) -> None:
    old = sorted(WORDS) * 15
    times = times_of(aligned(old))
    text, new = Transcript.from_text(" ".join(old)), list(old)
    new[word] = "bed"
    ((first, last),) = ranges_around(
        Revision.of(text, Transcript.from_text(" ".join(new))).edits, times
    )
    assert first == 0 or CONTEXT <= times[word][0] - times[first][0] <= CONTEXT + 4
    assert last == 150 or CONTEXT <= times[last - 1][1] - times[word][1] <= CONTEXT + 4


def test_passages_of_other_words_are_refused() -> None:
    text, new = Transcript.from_text("ban dot feel"), Transcript.from_text("ban dot good")
    for ranges in ([(0, 2)], [(0, 9)]):
        with pytest.raises(InputError, match="align the recording again"):
            Revision.of(text, new).within(ranges, text)


SRT = """1
00:00:01,000 --> 00:00:02,000
One two, three.

2
00:00:03,500 --> 00:00:04,500
It costs $5 now.
"""


def test_words_are_spread_over_their_cues(tmp_path: Path) -> None:
    path = tmp_path / "a.srt"
    path.write_text(SRT)
    transcript = Transcript.from_text("One two, three. It costs $5 now.")
    times = times_in(read_transcript(path), transcript)
    assert times is not None and len(times) == len(transcript.words) == 8
    assert [round(start, 2) for start, _ in times[:4]] == [1.0, 1.27, 1.55, 3.5]
    assert times[2][1] == pytest.approx(2.0) and times[-1][1] == pytest.approx(4.5)
    assert times_in(read_transcript(path), Transcript.from_text("Another text.")) is None
    path.write_text(SRT.replace("00:00:03,500", "00:00:01,500"))  # shown before the first ends
    overlapping = times_in(read_transcript(path), transcript)
    assert overlapping is not None and overlapping[2][1] == overlapping[3][0] == 1.5
    # A word that no cue has, since a program didn't hear it, lies between its neighbours.
    path.write_text(SRT.replace("two, ", ""))
    unheard = times_in(read_transcript(path), transcript)
    assert unheard is not None and unheard[0][1] <= unheard[1][0] <= unheard[1][1] <= unheard[2][0]


class Counted(NetworkAligner):
    """Counts the seconds that it aligns."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def align(self, samples: np.ndarray, sample_rate: int, *rest: object) -> Alignment:  # type: ignore[override]
        self.seconds += len(samples) / sample_rate
        return super().align(samples, sample_rate, *rest)  # type: ignore[arg-type]


def test_only_the_passage_is_aligned(
    editor: Editor, long_talk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    aligner = Counted()
    monkeypatch.setattr(editor, "alignments", AlignmentStore(aligner, None))
    new = " ".join([ARCTIC] * 8 + [NEVER] + [ARCTIC] * 7)
    result = editor.edit(long_talk, new_text=new, text=" ".join([ARCTIC] * 16))
    assert aligner.seconds < 30
    assert not result.doubtful
    out = result.save(tmp_path / "out.wav")
    record = result.record
    source, output = (soundfile.read(path, dtype="int16")[0] for path in (long_talk, out))
    assert_untouched(record["edits"], source, output)
    assert 32 < record["edits"][0]["source"][0] / 16000 < 36
    words = [word for a, b in record["aligned_words"] for word in range(a, b)]
    assert len(words) == sum(bool(word["text"]) for word in record["alignment"]["words"]) < 60
    again = replay(out.with_suffix(".edit.json"))
    assert np.array_equal(again.patches[0].samples, result.patches[0].samples)


def test_long_silence_beside_a_passage_is_not_aligned(
    editor: Editor, arctic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples, rate = soundfile.read(arctic, dtype="int16")
    quiet = np.zeros(60 * rate, np.int16)
    path = tmp_path / "apart.wav"
    soundfile.write(path, np.concatenate([samples, quiet, samples]), rate)
    path.with_suffix(".srt").write_text(
        f"1\n00:00:00,000 --> 00:00:04,000\n{ARCTIC}\n\n"
        f"2\n00:01:04,000 --> 00:01:08,000\n{ARCTIC}\n"
    )
    aligner = Counted()
    monkeypatch.setattr(editor, "alignments", AlignmentStore(aligner, None))
    plan = editor.plan(path, new_text=f"{ARCTIC} {ARCTIC.replace('always', 'never')}")
    assert aligner.seconds < 12
    assert plan.passages == ((11, 22),) and plan.edits[0].source[0] > 64 * 80


def test_an_alignment_is_cached_by_what_was_aligned(tmp_path: Path) -> None:
    words, one = ["ban", "dot"], aligned(["ban", "dot"])
    path = alignment_path(tmp_path, "0f", words, "aligner")
    assert cached_alignment(path, words) is None
    cache_alignment(path, one)
    assert cached_alignment(path, words) == one and cached_alignment(path, ["ban"]) is None
    others = (("1f", words, "aligner"), ("0f", ["ban"], "aligner"), ("0f", words, "other"))
    assert path not in [alignment_path(tmp_path, *other) for other in others]
    path.write_text("[")
    assert cached_alignment(path, words) is None
    for number in range(MAX_CACHED_FILES + 3):
        cache_alignment(alignment_path(tmp_path, str(number), words, "aligner"), one)
    assert len(list(tmp_path.iterdir())) == MAX_CACHED_FILES
    cache_alignment(None, one)


def test_a_long_recording_is_aligned_once(
    tmp_path: Path, long_talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By one version of the aligner, with the same pronunciations."""

    class Once(NetworkAligner):
        runs = 0

        def align_recording(self, *rest: object) -> Alignment:  # type: ignore[override]
            Once.runs += 1
            return aligned(["ban", "dot"])

    recording = Recording.open(long_talk)
    found = FoundTranscript(Transcript.from_text("ban dot"), "given")
    first, second = (
        AlignmentStore(Once(), tmp_path / "kept").whole(recording, found, Pronouncer())
        for _ in range(2)
    )
    assert Once.runs == 1 and first == second
    otherwise = Pronouncer({"ban": [("B", "AA1", "N")]})
    AlignmentStore(Once(), tmp_path / "kept").whole(recording, found, otherwise)
    monkeypatch.setattr("a3t.source.alignments.aligner_version", lambda: "another")
    AlignmentStore(Once(), tmp_path / "kept").whole(recording, found, Pronouncer())
    assert Once.runs == 3


def test_another_aligner_aligns_anew(arctic: Path) -> None:
    """Sound held in memory is handled alike."""

    class Says(NetworkAligner):
        def __init__(self, word: str) -> None:
            self.word = word

        def align_recording(self, *rest: object) -> Alignment:  # type: ignore[override]
            return aligned([self.word])

    store = AlignmentStore(Says("ban"), None)
    asked = Recording.open(arctic), FoundTranscript(Transcript.from_text("ban"), "given")
    assert store.whole(*asked, Pronouncer()).spoken[0].text == "ban"
    store.aligner = Says("dot")
    assert store.whole(*asked, Pronouncer()).spoken[0].text == "dot"


def test_bad_ranges_in_a_record_are_refused(arctic: Path) -> None:
    recording = Recording.open(arctic)
    version = {"text": "ban", "alignment": aligned(["ban"]).to_json(), "aligned_words": [[3, 1]]}
    with pytest.raises(ValueError):
        source_in(version, recording)
    known = source_in(version | {"aligned_words": [[0, 1]]}, recording)
    assert isinstance(known, AlignedRecording) and known.passages == ((0, 1),)
