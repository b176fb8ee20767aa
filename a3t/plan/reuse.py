"""New words that are recorded elsewhere: sentences moved or repeated, or from another recording.

Words that are cut from one place of a text and pasted at another are not made: their recorded
speech is taken. A stretch of an edit's new words counts as recorded if at least `MIN_WORDS` in a
row, or a shorter whole sentence, stand in the old text or in that of another recording. A word
changed within them is changed where they were recorded, among its neighbours, and moves with them.
A few words are synthesised, and recordings of them elsewhere are taken where they fit, or offered
beside that (`a3t.rendering.candidates`).

A pause belongs to the place, not to the words: at a joint that had one it stays, and where the
punctuation asks for one it is as long as this speaker's, of what was recorded beside the words and
of room tone. Elsewhere there is none.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heappop, heappush
from itertools import pairwise

from a3t.audio.reading.recording import Recording
from a3t.errors import InputError
from a3t.grid import FRAMES_PER_SECOND, frames_of
from a3t.plan.edit_plan import EditPlan, PlannedEdit, ReusedSpeech
from a3t.plan.edit_sites import PlacedEdit
from a3t.plan.punch_in import read_anew
from a3t.plan.request import EditRequest, OtherRecording, ReusedWords
from a3t.plan.revision import Revision, keeping
from a3t.plan.word_grid import WordFrames
from a3t.source.alignments import AlignmentStore
from a3t.source.records import AlignedRecording
from a3t.spans import Margins, Span
from a3t.text.comparison.edit_script import WordEdit
from a3t.text.pronunciation.pronouncer import Pronouncer
from a3t.text.transcript import Transcript

MIN_WORDS = 4
MAX_CHANGED_WORDS = 8  # words that may differ between two recorded stretches, or beside one
MIN_SHARE = 0.5  # of an edit's new words that must be recorded
MAX_PLACES = 64  # where a stretch may begin that are tried
MAX_OFFERED_WORDS = 3  # of an edit that other takes are offered of
MAX_OFFERED_PLACES = 8  # places where these are recorded, and …
MAX_UNASKED_PLACES = 2  # … of a long recording, if only one result is wanted
ENDS = (".", "?")  # the marks that end a sentence
EDGE = frames_of(0.05)  # of silence on either side of a joint, where there is any
MIN_PAUSE_FRAMES = frames_of(0.05)  # what is shorter is no pause
USUAL_PAUSE_FRAMES = frames_of(0.3)
MAX_MOVED_FRAMES = frames_of(600)  # of one edit, which is held in memory


@dataclass(frozen=True)
class RecordedTexts:
    """The texts that were recorded: the one that is edited, and those of other recordings."""

    texts: tuple[Transcript, ...]

    def matches(
        self,
        script: Sequence[WordEdit],
        new_text: Transcript,
        moved: Sequence[ReusedWords] = (),
        search: bool = True,
    ) -> dict[int, tuple[ReusedWords, ...]]:
        """Find where each edit's new words are recorded.

        That is where they were ``moved`` from, else, to ``search``, where the texts have them. The
        places, by the edit's index and in order, together hold all of its new words.
        """
        gone = [edit.old for edit in script if edit.old[0] < edit.old[1]]
        result = {}
        for k, edit in enumerate(script):
            runs = [run for run in moved if _is_within(run.new, edit.new)]
            if not runs and search:
                runs = self._found(edit, new_text, gone)
            if runs:
                result[k] = _blocks(edit, runs, gone)
        return result

    def short_matches(self, edit: WordEdit, new_text: Transcript) -> list[ReusedWords]:
        """Find where all new words of a short edit are recorded.

        Places by the same speaker come first, the nearest before others, then other texts.
        """
        wanted = new_text.spoken[slice(*edit.new)]
        if not 0 < len(wanted) <= MAX_OFFERED_WORDS:
            return []
        speaker = new_text.words[edit.new[0]].speaker
        found = [
            ReusedWords(edit.new, (place, place + len(wanted)), number)
            for number, place in self._words.get(wanted[0], ())
            if self.texts[number].spoken[place : place + len(wanted)] == wanted
            and (number or self.texts[0].words[place].speaker == speaker)
            and (number or place >= edit.old[1] or place + len(wanted) <= edit.old[0])
        ]
        found.sort(key=lambda words: (words.text, abs(words.old[0] - edit.old[0])))
        return found[:MAX_OFFERED_PLACES]

    def _found(self, edit: WordEdit, new: Transcript, gone: Sequence[Span]) -> list[ReusedWords]:
        """Return the recorded stretches of an edit's words, if they are enough of these."""
        first, last = edit.new
        if last - first < 2:
            return []
        runs = list(self._runs(edit, new, gone))
        share = sum(run.new[1] - run.new[0] for run in runs) / (last - first)
        return runs if share >= MIN_SHARE else []

    def _runs(self, edit: WordEdit, new: Transcript, gone: Sequence[Span]) -> Iterator[ReusedWords]:
        """Yield the longest recorded stretches, from left to right."""
        place, last = edit.new
        while place < last:
            size, found = 0, (0, 0)
            short = _sentence(new, place)
            for number, start in self._places(new.spoken[place : place + MIN_WORDS], short):
                spoken = self.texts[number].spoken
                count = _common(new.spoken, place, last, spoken, start)
                is_gone = number == 0 and _around(gone, start) is not None
                if (count, is_gone) > (size, False):
                    size, found = count, (number, start)
            if size >= MIN_WORDS or (size >= 2 and size == short):
                yield ReusedWords((place, place + size), (found[1], found[1] + size), found[0])
                place += size
            else:
                place += 1

    def _places(self, words: tuple[str, ...], short: int) -> Iterator[tuple[int, int]]:
        """Yield the texts and places where these words stand.

        If the first ``short`` words are a sentence, the places of that alone follow.
        """
        yield from self._stretches.get(words, ())
        if 2 <= short < MIN_WORDS:
            yield from self._sentences.get(words[:short], ())

    @cached_property
    def _stretches(self) -> dict[tuple[str, ...], list[tuple[int, int]]]:
        return self._index(lambda text, place: MIN_WORDS)

    @cached_property
    def _words(self) -> dict[str, list[tuple[int, int]]]:
        result: dict[str, list[tuple[int, int]]] = {}
        for number, text in enumerate(self.texts):
            for place, word in enumerate(text.spoken):
                result.setdefault(word, []).append((number, place))
        return result

    @cached_property
    def _sentences(self) -> dict[tuple[str, ...], list[tuple[int, int]]]:
        return self._index(_sentence)

    def _index(
        self, size: Callable[[Transcript, int], int]
    ) -> dict[tuple[str, ...], list[tuple[int, int]]]:
        result: dict[tuple[str, ...], list[tuple[int, int]]] = {}
        for number, text in enumerate(self.texts):
            for place in range(len(text.words)):
                count = size(text, place)
                words = text.spoken[place : place + count]
                if len(words) == count and count:
                    places = result.setdefault(words, [])
                    if len(places) < MAX_PLACES:
                        places.append((number, place))
        return result


def _common(new: Sequence[str], place: int, last: int, old: Sequence[str], start: int) -> int:
    count = 0
    while place + count < last and start + count < len(old):
        if new[place + count] != old[start + count]:
            break
        count += 1
    return count


def _sentence(text: Transcript, place: int) -> int:
    """Return the length in words of the short sentence that begins here; 0 if none does."""
    if place and text.words[place - 1].mark not in ENDS:
        return 0
    for count in range(1, MIN_WORDS):
        last = place + count
        if last == len(text.words) or (
            last < len(text.words) and text.words[last - 1].mark in ENDS
        ):
            return count
    return 0


def _is_within(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _blocks(
    edit: WordEdit, runs: Sequence[ReusedWords], gone: Sequence[Span]
) -> tuple[ReusedWords, ...]:
    """Return an edit's recorded stretches with the words between and beside them."""
    blocks: list[ReusedWords] = []
    for run in runs:
        if blocks and _go_together(blocks[-1], run):
            before = blocks.pop()
            run = ReusedWords((before.new[0], run.new[1]), (before.old[0], run.old[1]), run.text)
        blocks.append(run)
    # New words beside a block go with it, in the place of those that are gone there.
    edges = [edit.new[0], *(block.new[0] for block in blocks[1:]), edit.new[1]]
    return tuple(
        _widened(block, own, gone) for block, own in zip(blocks, pairwise(edges), strict=True)
    )


def _go_together(before: ReusedWords, after: ReusedWords) -> bool:
    """Return whether the difference between two stretches can be changed in place."""
    if before.text != after.text:
        return False
    left_out = after.old[0] - before.old[1]
    return 0 <= left_out <= MAX_CHANGED_WORDS and after.new[0] - before.new[1] <= MAX_CHANGED_WORDS


def _widened(block: ReusedWords, new: Span, gone: Sequence[Span]) -> ReusedWords:
    """Extend a block by the new words beside it, replacing words beside it in the old text."""
    first, last = block.old
    before, after = _around(gone, first), _around(gone, last - 1)
    if block.text == 0 and before is not None and new[0] < block.new[0]:
        first = before[0] if first - before[0] <= MAX_CHANGED_WORDS else first
    if block.text == 0 and after is not None and block.new[1] < new[1]:
        last = after[1] if after[1] - last <= MAX_CHANGED_WORDS else last
    return ReusedWords(new, (first, last), block.text)


def _around(ranges: Sequence[Span], word: int) -> Span | None:
    """Return the range that holds a word, of ranges in order and apart; None for none."""
    place = bisect_right(ranges, word, key=lambda each: each[0]) - 1
    return ranges[place] if place >= 0 and word < ranges[place][1] else None


def chosen_words(
    chosen: Sequence[ReusedWords],
    script: Sequence[WordEdit],
    texts: Sequence[Transcript],
    new_text: Transcript,
) -> dict[int, tuple[ReusedWords, ...]]:
    """Return the ``chosen`` words that each edit of the script takes, by its index."""
    found: dict[int, tuple[ReusedWords, ...]] = {}
    for words in chosen:
        if words.text < len(texts):
            recorded = texts[words.text].spoken[slice(*words.old)]
            same = recorded == new_text.spoken[slice(*words.new)]
            found |= {
                k: (words,) for k, edit in enumerate(script) if same and edit.new == words.new
            }
    return found


def with_sources(revision: Revision, request: EditRequest) -> list[WordEdit]:
    """Return all that has to be aligned, in order.

    These are the edits of a revision and, if the request moves words, the places in the text that
    recorded words may be taken from.
    """
    edits, texts = list(revision.edits), RecordedTexts((revision.text,))
    own = [run for run in revision.moved if run.text == 0]
    recorded = texts.matches(edits, revision.new_text, own, request.moves)
    found = [words for each in recorded.values() for words in each]
    if request.moves:
        most = MAX_OFFERED_PLACES if request.candidates > 1 else MAX_UNASKED_PLACES
        for edit in revision.edits:
            found += texts.short_matches(edit, revision.new_text)[:most]
    edits += [WordEdit("replace", words.old, words.new) for words in found]
    return sorted(edits, key=lambda edit: edit.old)


def align_others(
    others: Sequence[OtherRecording],
    revision: Revision,
    alignments: AlignmentStore,
    pronouncer: Pronouncer,
    recogniser: str = "auto",
) -> tuple[AlignedRecording, ...]:
    """Align other recordings, recognising those without a text.

    The new text is the recogniser's prior. Raises InputError if a recording has changed since it
    was used.
    """
    heard = []
    for other in others:
        recording = Recording.open(other.path)
        if other.sha256 not in (None, recording.sha256):
            raise InputError(
                f"{other.path} is not the recording that speech was taken from (the sha256 "
                "differs): put the right one there."
            )
        text, alignment = other.transcript, other.alignment
        if text is not None and alignment is not None:
            heard.append(AlignedRecording(recording, text, alignment))
        elif other.punch_in and text is None:
            heard.append(read_anew(recording, revision, alignments, pronouncer, recogniser))
        else:
            expected = revision.new_text
            heard.append(alignments.hear(recording, text, expected, pronouncer, recogniser))
    return tuple(heard)


PlanOrigin = Callable[[int, Revision], EditPlan]  # by a text's number


def with_room(site: PlacedEdit, recorded: tuple[ReusedWords, ...], words: WordFrames) -> PlacedEdit:
    """Return the site with recorded words and the frames that they replace.

    Joints lie in the silence beside these, if there is any.
    """
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
    moved: Sequence[ReusedWords] = (),
) -> tuple[tuple[EditPlan, ...], dict[int, tuple[ReusedSpeech, ...]], tuple[PlacedEdit, ...]]:
    """Plan the origins of all recorded words.

    Returns the origins; what each site takes from them, by its index; and the sites, without
    recorded words that can't be changed in place. ``usual``: this speaker's pauses in frames;
    ``moved``: the recorded words that were placed. Raises InputError for too long a stretch.
    """
    blocks = {(k, n): b for k, site in enumerate(sites) for n, b in enumerate(site.recorded)}
    made, number_of = _apart(blocks)
    plans = []
    for number, own in made:
        revision = _revision(texts[number], new_text, own, moved)
        plans.append(None if revision is None else plan_origin(number, revision))
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
            origin = number_of[k, n]
            plan = plans[origin]
            assert plan is not None
            speech.append(_taken(block, made[origin][1], plan, numbers[origin]))
        if speech:
            silence = [_silence(s, origins[s.origin]) for s in speech]
            taken[k] = _with_silence(site, speech, silence, new_text, usual)
    return origins, taken, tuple(kept)


def _apart(
    blocks: Mapping[tuple[int, int], ReusedWords],
) -> tuple[list[tuple[int, tuple[ReusedWords, ...]]], dict[tuple[int, int], int]]:
    """Distribute blocks over as few origins as possible, so that no word moves twice.

    Returns each origin's text number and blocks, and each block's origin. Blocks are taken in the
    order of their words, each to the origin that has been free for longest (interval partitioning).
    """
    ends: dict[int, list[tuple[int, int]]] = {}  # of a text: where its origins' last block ends
    own: list[list[tuple[int, int]]] = []
    for key in sorted(blocks, key=lambda key: (blocks[key].text, blocks[key].old, key)):
        block = blocks[key]
        free = ends.setdefault(block.text, [])
        if free and free[0][0] < block.old[0]:  # what is put between two belongs to one of them
            _, j = heappop(free)
        else:
            j = len(own)
            own.append([])
        own[j].append(key)
        heappush(free, (block.old[1], j))
    made = [(blocks[keys[0]].text, tuple(blocks[key] for key in sorted(keys))) for keys in own]
    return made, {key: j for j, keys in enumerate(own) for key in keys}


def _revision(
    text: Transcript,
    new_text: Transcript,
    blocks: Sequence[ReusedWords],
    moved: Sequence[ReusedWords] = (),
) -> Revision | None:
    """Return the changes where the words were recorded; None if they aren't read the same there."""
    whole = Transcript.of_tokens(text.words)  # without its pauses and emphasis
    pieces: list[Transcript] = []
    kept: list[tuple[Span, Span]] = []
    place = grown = 0
    for block in sorted(blocks, key=lambda block: block.old):
        pieces += [whole.part(place, block.old[0]), new_text.part(*block.new)]
        kept.append(((place, block.old[0]), (place + grown, block.old[0] + grown)))
        by = block.old[0] + grown - block.new[0]
        runs = [run for run in moved if _is_within(run.new, block.new)]
        kept += [(run.old, (run.new[0] + by, run.new[1] + by)) for run in runs]
        place, grown = block.old[1], by + block.new[1] - block.old[1]
    changed = Transcript.joined([*pieces, whole.part(place, len(whole.words))])
    if all(any(_is_within(run.new, block.new) for run in moved) for block in blocks):
        end = len(whole.words)
        kept.append(((place, end), (place + grown, end + grown)))
        return Revision(whole, changed, tuple(keeping(kept, end, len(changed.words))))
    revision = Revision.of(whole, changed)
    inside = all(
        any(b.old[0] <= edit.old[0] and edit.old[1] <= b.old[1] for b in blocks)
        for edit in revision.edits
    )
    return revision if inside else None


def _taken(
    block: ReusedWords, blocks: Sequence[ReusedWords], plan: EditPlan, number: int
) -> ReusedSpeech:
    """Return a block in its origin's plan, without the silence around it.

    ``blocks``: all of that origin. What is inserted where two of them meet belongs to the one whose
    words grow by it, which the origin's edits alone don't tell.
    """
    earlier = [each for each in blocks if each.old[1] <= block.old[0] and each is not block]
    grown = sum(each.new[1] - each.new[0] - (each.old[1] - each.old[0]) for each in earlier)
    first = block.old[0] + grown
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
    return ReusedSpeech(
        number, block.new, words, edits, span, decibels=block.decibels, punch_in=block.punch_in
    )


def _between(edits: Sequence[PlannedEdit], frames: Span) -> Span:
    """Return the empty range of edits at these frames."""
    place = sum(edit.source[1] <= frames[0] for edit in edits)
    return place, place


def _with_silence(
    site: PlacedEdit,
    speech: Sequence[ReusedSpeech],
    silence: Sequence[Margins],
    new_text: Transcript,
    usual: Mapping[str, float],
) -> tuple[ReusedSpeech, ...]:
    """Add to each stretch of speech the silence that belongs to its joints.

    silence: the frames of it before and after each.
    """
    if sum(each.frames[1] - each.frames[0] for each in speech) > MAX_MOVED_FRAMES:
        raise InputError(
            "More than ten minutes of speech can't be moved at once: move it in parts."
        )
    beside = site.beside or (0, 0)
    silent, pauses = ([[0, 0] for _ in speech] for _ in range(2))
    words = [speech[0].new[0], *(each.new[1] for each in speech)]

    def wanted(joint: int) -> tuple[int, bool]:
        """Return the frames of a pause before a new word, and whether they are requested."""
        word = words[joint]
        if site.pauses.get(word):
            return round(site.pauses[word] * FRAMES_PER_SECOND), True
        inner = 0 < word < len(new_text.words)
        mark = new_text.words[word - 1].mark if inner else ""
        return (round(usual.get(mark) or USUAL_PAUSE_FRAMES) if mark else 0), False

    ends = (-1, *range(len(speech)), len(speech))
    for joint, (left, right) in enumerate(pairwise(ends)):
        pause, requested = wanted(joint)
        have = beside[0] if left < 0 else beside[1] if right == len(speech) else 0
        sides = [(k, side) for k, side in ((left, 1), (right, 0)) if 0 <= k < len(speech)]
        if speech[0].punch_in and not pause:
            continue  # a word that was read alone has silence that isn't its sentence's
        outer = words[joint] in (0, len(new_text.words))
        lacks = 2 * have < pause > MIN_PAUSE_FRAMES and not (requested or outer)
        most = max(pause - EDGE, EDGE) if lacks else EDGE
        for k, side in sides:
            silent[k][side] = min(most, silence[k][side])
            have += silent[k][side]
            most = EDGE
        if requested or (lacks and pause - have >= MIN_PAUSE_FRAMES):
            k, side = sides[0]
            pauses[k][side] = pause if requested else pause - have
    return tuple(
        replace(
            each,
            frames=(each.frames[0] - before, each.frames[1] + after),
            silent=(before, after),
            pauses=(first, last),
        )
        for each, (before, after), (first, last) in zip(speech, silent, pauses, strict=True)
    )


def _silence(taken: ReusedSpeech, plan: EditPlan) -> Margins:
    """Return the frames of silence beside it where it was recorded."""
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
