"""Plans for words that are recorded elsewhere: what is changed there, and the silence around them.

A pause stays at every joint that had one or that the punctuation asks for: the place's own, else
what was recorded beside the words, else room tone as long as this speaker's pauses.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import pairwise

from a3t.errors import InputError
from a3t.grid import FRAMES_PER_SECOND, frames_of
from a3t.plan.edit_plan import EditPlan, PlannedEdit
from a3t.plan.edit_sites import PlacedEdit, WordFrames
from a3t.plan.reuse.recorded_speech import ReusedSpeech, ReusedWords
from a3t.plan.revision import Revision
from a3t.spans import Margins, Span
from a3t.text.transcript import Transcript

EDGE = frames_of(0.05)  # of silence on either side of a joint, where there is any
MIN_PAUSE_FRAMES = frames_of(0.05)  # what is shorter is no pause
MAX_SILENCE_FRAMES = frames_of(1.0)  # of silence that is taken along
USUAL_PAUSE = frames_of(0.3)
MAX_MOVED_FRAMES = frames_of(600)  # of one edit, which is held in memory

PlanOrigin = Callable[[int, Revision], EditPlan]  # by a text's number


@dataclass(frozen=True)
class Changed:
    """An origin that is being put together: a text's number, and the words that move from it."""

    text: int
    blocks: tuple[ReusedWords, ...]


def with_room(site: PlacedEdit, recorded: tuple[ReusedWords, ...], words: WordFrames) -> PlacedEdit:
    """The site with words that are recorded, and the frames that they replace: joints lie in the
    silence beside these, if there is any."""
    before = words.pause_before(site.edit.old[0])
    after = words.pause_before(site.edit.old[1])
    first, last = site.frames
    if site.edit.op == "insert":
        silence = after[1] - after[0]
        # It stands at the start or at the end of the pause, the greater part of which stays there.
        step = min(EDGE, silence // 2)
        first = last = first + step if first == after[0] else last - step
    else:
        first -= min(EDGE, (before[1] - before[0]) // 2)
        last += min(EDGE, (after[1] - after[0]) // 2)
    room = max(first - before[0], 0), max(after[1] - last, 0)
    return replace(site, recorded=recorded, frames=(first, last), beside=room)


def origins_of(
    sites: Sequence[PlacedEdit],
    texts: Sequence[Transcript],
    new_text: Transcript,
    plan_origin: PlanOrigin,
    usual: Mapping[str, float],
) -> tuple[tuple[EditPlan, ...], dict[int, tuple[ReusedSpeech, ...]], tuple[PlacedEdit, ...]]:
    """The origins of all recorded words; for each site, by its index, what it takes from them; and
    the sites, those without it whose words can't be changed where they were recorded.

    ``usual``: this speaker's pauses in frames. Raises InputError for too long a stretch.
    """
    blocks = {(k, n): b for k, site in enumerate(sites) for n, b in enumerate(site.recorded)}
    made, number_of = _apart(blocks)
    plans = []
    for each in made:
        revision = _revision(texts[each.text], new_text, each.blocks)
        plans.append(None if revision is None else plan_origin(each.text, revision))
    kept = [
        site
        if all(plans[number_of[k, n]] for n in range(len(site.recorded)))
        else replace(site, recorded=())
        for k, site in enumerate(sites)
    ]
    # Those that can't be changed in their place leave a gap in the numbers.
    numbers = {j: n for n, j in enumerate(j for j, plan in enumerate(plans) if plan)}
    taken, origins = {}, tuple(plan for plan in plans if plan is not None)
    for k, site in enumerate(kept):
        speech = []
        for n, block in enumerate(site.recorded):
            plan = plans[number_of[k, n]]
            assert plan is not None
            speech.append(_taken(block, plan, numbers[number_of[k, n]]))
        if speech:
            silence = [_silence(s, origins[s.origin]) for s in speech]
            taken[k] = _with_silence(site, speech, silence, new_text, usual)
    return origins, taken, tuple(kept)


def _apart(
    blocks: Mapping[tuple[int, int], ReusedWords],
) -> tuple[list[Changed], dict[tuple[int, int], int]]:
    """The blocks in as few origins as there can be, in each of which no word moves twice; and the
    origin of each. Blocks are taken in the order of their words, each to the origin that has been
    free for longest (interval partitioning)."""
    ends: dict[int, list[tuple[int, int]]] = {}  # of a text: where its origins' last block ends
    own: list[list[tuple[int, int]]] = []
    for key in sorted(blocks, key=lambda key: (blocks[key].text, blocks[key].old, key)):
        block = blocks[key]
        free = ends.setdefault(block.text, [])
        if free and free[0][0] <= block.old[0]:
            _, j = heappop(free)
        else:
            j = len(own)
            own.append([])
        own[j].append(key)
        heappush(free, (block.old[1], j))
    made = [
        Changed(blocks[keys[0]].text, tuple(blocks[key] for key in sorted(keys))) for keys in own
    ]
    return made, {key: j for j, keys in enumerate(own) for key in keys}


def _revision(
    text: Transcript, new_text: Transcript, blocks: Sequence[ReusedWords]
) -> Revision | None:
    """The changes where the words were recorded; None if they aren't read the same there."""
    whole = Transcript.of_tokens(text.words)  # without its pauses and emphasis
    pieces: list[Transcript] = []
    place = 0
    for block in sorted(blocks, key=lambda block: block.old):
        pieces += [whole.part(place, block.old[0]), new_text.part(*block.new)]
        place = block.old[1]
    changed = Transcript.joined([*pieces, whole.part(place, len(whole.words))])
    revision = Revision.of(whole, changed)
    inside = all(
        any(b.old[0] <= edit.old[0] and edit.old[1] <= b.old[1] for b in blocks)
        for edit in revision.edits
    )
    return revision if inside else None


def _taken(block: ReusedWords, plan: EditPlan, number: int) -> ReusedSpeech:
    """A block in its origin's plan, without the silence around it."""
    kept = plan.words
    first = kept.output_span(block.old)[0]
    words = first, first + block.new[1] - block.new[0]
    inside = [
        k
        for k, edit in enumerate(plan.edits)
        if block.old[0] <= edit.old[0] and edit.old[1] <= block.old[1]
        and words[0] <= edit.new[0] and edit.new[1] <= words[1]
    ]  # fmt: skip
    edges = [plan.word_frames.spans[k] for k in range(*block.old)] + [
        plan.edits[k].source for k in inside
    ]
    span = min(first for first, _ in edges), max(last for _, last in edges)
    edits = (inside[0], inside[-1] + 1) if inside else _between(plan.edits, span)
    return ReusedSpeech(number, block.new, words, edits, span, decibels=block.decibels)


def _between(edits: Sequence[PlannedEdit], frames: Span) -> Span:
    """No edits, at the place where some within these frames would be."""
    place = sum(edit.source[1] <= frames[0] for edit in edits)
    return place, place


def _with_silence(
    site: PlacedEdit,
    speech: Sequence[ReusedSpeech],
    silence: Sequence[Margins],
    new_text: Transcript,
    usual: Mapping[str, float],
) -> tuple[ReusedSpeech, ...]:
    """The speech with the silence that belongs to its joints. silence: the frames of it that there
    are before and after each."""
    if sum(each.frames[1] - each.frames[0] for each in speech) > MAX_MOVED_FRAMES:
        raise InputError(
            "More than ten minutes of speech can't be moved at once: move it in parts."
        )
    beside = site.beside or (0, 0)
    free = list(silence)
    result = list(speech)
    words = [speech[0].new[0], *(each.new[1] for each in speech)]

    def wanted(joint: int) -> tuple[int, bool]:
        """The frames of a pause before a new word, and whether they are requested."""
        word = words[joint]
        if site.pauses.get(word):
            return round(site.pauses[word] * FRAMES_PER_SECOND), True
        inner = 0 < word < len(new_text.words)
        mark = new_text.words[word - 1].mark if inner else ""
        return (round(usual.get(mark) or USUAL_PAUSE) if mark else 0), False

    def take(k: int, side: int, count: int) -> int:
        """Silence beside one of them, as much as there is of so many frames."""
        count = min(count, free[k][side])
        first, last = result[k].frames
        frames = (first - count, last) if side == 0 else (first, last + count)
        silent = (count, result[k].silent[1]) if side == 0 else (result[k].silent[0], count)
        result[k] = replace(result[k], frames=frames, silent=silent)
        return count

    def add(k: int, side: int, count: int) -> None:
        before, after = result[k].pauses
        pauses = (count, after) if side == 0 else (before, count)
        result[k] = replace(result[k], pauses=pauses)

    ends = (-1, *range(len(speech)), len(speech))
    for joint, (left, right) in enumerate(pairwise(ends)):
        pause, requested = wanted(joint)
        have = beside[0] if left < 0 else beside[1] if right == len(speech) else 0
        sides = [(k, side) for k, side in ((left, 1), (right, 0)) if 0 <= k < len(speech)]
        if requested:
            for k, side in sides:
                take(k, side, EDGE)
            add(*sides[0], pause)
            continue
        outer = words[joint] in (0, len(new_text.words))
        most = EDGE if outer or have >= MIN_PAUSE_FRAMES else MAX_SILENCE_FRAMES
        for k, side in sides:
            have += take(k, side, most)
            most = EDGE
        if have < MIN_PAUSE_FRAMES < pause:
            add(*sides[0], pause)
    return tuple(result)


def _silence(taken: ReusedSpeech, plan: EditPlan) -> Margins:
    """The frames of silence beside it where it was recorded; words and edits are in order."""
    words, (first, last) = plan.word_frames, taken.frames
    ahead = bisect_right(words.spans, first, key=lambda span: span[1])
    behind = bisect_left(words.spans, last, key=lambda span: span[0])
    before = words.spans[ahead - 1][1] if ahead else 0
    after = words.spans[behind][0] if behind < len(words.spans) else plan.frames - 1
    if taken.edits[0]:
        before = max(before, plan.edits[taken.edits[0] - 1].source[1])
    if taken.edits[1] < len(plan.edits):
        after = min(after, plan.edits[taken.edits[1]].source[0])
    return max(first - before, 0), max(after - last, 0)
