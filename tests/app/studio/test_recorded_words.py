"""Recorded words that are moved, copied or pasted are never made anew, and what was typed is."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from a3t.audio.output.patches import audio_slice
from a3t.audio.reading.recording import Recording
from a3t.editor import Editor
from a3t.errors import InputError
from a3t.plan.edit_plan import EditPlan
from a3t.plan.request import EditRequest, OtherRecording
from a3t.projects.close_changes import made_as_one
from a3t.projects.document import Change, RecordedWords
from a3t.projects.store.folder import SAID_FOLDER
from a3t.projects.store.words import HeardWords, Token
from a3t.rendering.edited_alignment import edited_alignment, made_spans
from a3t.source.records import AlignedRecording
from a3t.text.transcript import Transcript
from alignment.result import retimed
from app.studio.work.mixdown import assembled
from app.studio.work.take_making import _stretch, _take, make_take
from app.studio.work.take_orders import TakeJob, job_of, placed_sources
from tests.conftest import ARCTIC

TYPED = ("never", "seldom", "rarely", "perhaps", "they")
FILE = "said-other.wav"


@pytest.fixture
def heard(editor: Editor, arctic: Path) -> HeardWords:
    spoken = editor.align(arctic, ARCTIC).spoken
    named = zip(count(), ARCTIC.split(), spoken, strict=False)
    return HeardWords(tuple(Token(k, text, (word,), False) for k, text, word in named))


@pytest.fixture
def other(editor: Editor, arctic: Path, tmp_path: Path) -> OtherRecording:
    """Another recording, of the same words."""
    path = tmp_path / FILE
    path.write_bytes(arctic.read_bytes())
    text = Transcript.from_text(ARCTIC)
    aligned = editor.align(arctic, ARCTIC)
    return OtherRecording.of(AlignedRecording(Recording.open(path), text, aligned))


def some_words(chance: random.Random, words: list[str]) -> tuple[str, tuple[RecordedWords, ...]]:
    """A text of runs from either recording, and of typed words."""
    text: list[str] = []
    runs: list[RecordedWords] = []
    for _ in range(chance.randrange(1, 5)):
        first = chance.randrange(len(words))
        last = min(len(words), first + chance.randrange(1, 6))
        if chance.random() < 0.3:
            text += chance.sample(TYPED, chance.randrange(1, 3))
        else:
            file = chance.choice(["", "", FILE])
            runs.append(RecordedWords(len(text), tuple(range(first, last)), file))
            text += [word.strip(".") for word in words[first:last]]
    return " ".join(text), tuple(runs)


def some_changes(chance: random.Random, words: list[str]) -> tuple[Change, ...]:
    made, place = [], chance.randrange(3)
    while place < len(words):
        tokens = tuple(range(place, min(len(words), place + chance.randrange(4))))
        text, runs = some_words(chance, words) if not tokens or chance.random() < 0.6 else ("", ())
        made.append(Change(place - 1, tokens, text, recorded=runs))
        place += len(tokens) + chance.randrange(1, 5)
    return tuple(made)


def made_words(plan: EditPlan) -> Iterator[str]:
    for edit in plan.edits:
        if edit.is_spoken:
            yield from plan.new_text.spoken[slice(*edit.new)]
        for taken in edit.taken:
            origin = plan.source_edits[taken.origin]
            for own in origin.edits[slice(*taken.edits)]:
                yield from origin.new_text.spoken[slice(*own.new)]


def plan_of(editor: Editor, job: TakeJob) -> EditPlan:
    stretch = _stretch(job)
    with audio_slice(job.recording, stretch) as clip:
        return _take(job, stretch).plan(editor, clip)


@pytest.mark.parametrize("seed", range(8))
def test_only_what_was_typed_is_made(
    seed: int,
    editor: Editor,
    arctic: Path,
    heard: HeardWords,
    other: OtherRecording,
    tmp_path: Path,
) -> None:
    """So it is planned, and so the export of the takes tells it."""
    chance, words = random.Random(seed), ARCTIC.split()
    recording, request = Recording.open(arctic), EditRequest(new_text="", moves=False)
    rows = [token.shown() for token in heard.tokens]
    together = made_as_one(some_changes(chance, words), rows)
    takes, everything = [], list[str]()
    for change in {each.key: each for each in together.values()}.values():
        others, taken = placed_sources(change, [other])
        more = {
            "recording": recording,
            "channels": 1,
            "request": request,
            "others": others,
            "taken": taken,
        }
        job = job_of(change, list(together.values()), heard, **more)
        plan = plan_of(editor, job)
        typed = [word for word in change.text.split() if word in TYPED]
        everything += typed
        assert sorted(made_words(plan)) == sorted(typed), change
        assert change.text.lower().replace(".", "") in " ".join(plan.new_text.spoken)
        if seed < 2:
            takes.append(tmp_path / "takes" / change.key / "0")
            make_take(editor, job, takes[-1])
    (tmp_path / SAID_FOLDER).mkdir()
    other.path.rename(tmp_path / SAID_FOLDER / FILE)
    result = assembled(recording, heard, takes)
    made = [word for trace in result.traces if trace.synthetic for word in trace.words.split()]
    assert sorted(made) == sorted(everything if seed < 2 else ())
    words = edited_alignment(result).spoken
    assert [word.text for word in words] == [*result.plan.new_text.spoken]
    spans = made_spans(result)
    for word in words:
        inside = any(a - 0.01 <= (word.start + word.end) / 2 <= b + 0.01 for a, b in spans)
        assert inside == (word.text in TYPED), word


def test_words_cut_and_pasted_over_others_move_past_them(
    editor: Editor, arctic: Path, heard: HeardWords
) -> None:
    """The words between are as short as can be: they stay recorded as well."""
    cut = Change(-1, (0, 1, 2, 3), "")
    pasted = Change(5, (), "And you always want", recorded=(RecordedWords(0, (0, 1, 2, 3)),))
    rows = [[k, token.text, 0.1 * k, 0.1 * k + 0.09, 1] for k, token in enumerate(heard.tokens)]
    (change,) = {each.key: each for each in made_as_one((cut, pasted), rows).values()}.values()
    assert change.text == "to see And you always want"
    more = {
        "recording": Recording.open(arctic),
        "channels": 1,
        "request": EditRequest(new_text="", moves=False),
    }
    assert not [*made_words(plan_of(editor, job_of(change, (), heard, **more)))]


def test_a_move_is_exported_after_a_correction_where_it_was_recorded(
    editor: Editor, arctic: Path, heard: HeardWords, tmp_path: Path
) -> None:
    """Its words' times are spread then; its sound is what it was."""
    recording = Recording.open(arctic)
    change = Change(5, (), "you always want", recorded=(RecordedWords(0, (1, 2, 3)),))
    more = {"recording": recording, "channels": 1, "request": EditRequest(new_text="", moves=False)}
    take = tmp_path / "takes" / change.key / "0"
    make_take(editor, job_of(change, (), heard, **more), take)
    before = assembled(recording, heard, [take])
    tokens, (word,) = heard.tokens, heard.tokens[2].words
    halves = (retimed(word, word.start, 0.9), retimed(word, 0.9, word.end))
    two = tuple(replace(tokens[2], id=100 + k, words=(own,)) for k, own in enumerate(halves))
    after = assembled(recording, replace(heard, tokens=(*tokens[:2], *two, *tokens[3:])), [take])
    texts = [[word.text for word in edited_alignment(result).spoken] for result in (before, after)]
    assert len(texts[1]) == len(texts[0]) + 1 and texts[1][7:10] == texts[0][6:9]
    assert after.traces == before.traces
    with pytest.raises(InputError, match="“you always want” and “you always want” overlap"):
        assembled(recording, heard, [take, take])
