"""New words that are recorded elsewhere: sentences moved or repeated, or from another recording.

Words that are cut from one place of a text and pasted at another are not made: their recorded
speech is taken. A stretch of an edit's new words counts as recorded if at least `MIN_WORDS` in a
row, or a shorter whole sentence, stand in the old text or in that of another recording. A word
changed within them is changed where they were recorded, among its neighbours, and moves with them.
A few words are synthesised, and recordings of them elsewhere are taken where they fit, or offered
beside that (`a3t.rendering.recorded_takes`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from a3t.plan.request import EditRequest
from a3t.plan.reuse.recorded_speech import ReusedWords
from a3t.plan.revision import Revision
from a3t.spans import Span
from a3t.text.comparison.edit_script import WordEdit
from a3t.text.transcript import Transcript

MIN_WORDS = 4
MAX_CHANGED_WORDS = 8  # words that may differ between two recorded stretches, or beside one
MIN_SHARE = 0.5  # of an edit's new words that must be recorded
MAX_PLACES = 64  # where a stretch may begin that are tried
MAX_OFFERED_WORDS = 3  # of an edit that other takes are offered of
MAX_OFFERED_PLACES = 8  # places where these are recorded, and …
MAX_UNASKED_PLACES = 2  # … of a long recording, if only one result is wanted
ENDS = (".", "?")  # the marks that end a sentence


@dataclass(frozen=True)
class RecordedTexts:
    """The texts that were recorded: the one that is edited, and those of other recordings."""

    texts: tuple[Transcript, ...]

    def matches(
        self, script: Sequence[WordEdit], new_text: Transcript
    ) -> dict[int, tuple[ReusedWords, ...]]:
        """The places of each edit's new words that are recorded, by the edit's index and in order;
        together they hold all of its new words."""
        gone = [edit.old for edit in script if edit.old[0] < edit.old[1]]
        result = {}
        for k, edit in enumerate(script):
            if found := self._of_edit(edit, new_text, gone):
                result[k] = found
        return result

    def short_matches(self, edit: WordEdit, new_text: Transcript) -> list[ReusedWords]:
        """The places where all new words of an edit, if few, are recorded: by the same speaker, the
        nearest places first, and then in other texts."""
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

    def _of_edit(
        self, edit: WordEdit, new: Transcript, gone: Sequence[Span]
    ) -> tuple[ReusedWords, ...]:
        first, last = edit.new
        if last - first < 2:
            return ()
        runs = list(self._runs(edit, new, gone))
        share = sum(run.new[1] - run.new[0] for run in runs) / (last - first)
        if not runs or share < MIN_SHARE:
            return ()
        blocks: list[ReusedWords] = []
        for run in runs:
            if blocks and _go_together(blocks[-1], run):
                before = blocks.pop()
                run = ReusedWords(
                    (before.new[0], run.new[1]), (before.old[0], run.old[1]), run.text
                )
            blocks.append(run)
        # New words beside a block go with it, in the place of those that are gone there.
        edges = [first, *(block.new[0] for block in blocks[1:]), last]
        return tuple(
            _widened(block, own, gone) for block, own in zip(blocks, pairwise(edges), strict=True)
        )

    def _runs(self, edit: WordEdit, new: Transcript, gone: Sequence[Span]) -> Iterator[ReusedWords]:
        """The longest stretches, from left to right."""
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
        """Texts and places where these words stand; if their first ``short`` are a sentence, also
        those where only that does."""
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
    """The words of the short sentence that begins at a word; 0 if none does."""
    if place and text.words[place - 1].mark not in ENDS:
        return 0
    for count in range(1, MIN_WORDS):
        last = place + count
        if last == len(text.words) or (
            last < len(text.words) and text.words[last - 1].mark in ENDS
        ):
            return count
    return 0


def _go_together(before: ReusedWords, after: ReusedWords) -> bool:
    """True if what differs between two stretches can be changed where both were recorded."""
    if before.text != after.text:
        return False
    left_out = after.old[0] - before.old[1]
    return 0 <= left_out <= MAX_CHANGED_WORDS and after.new[0] - before.new[1] <= MAX_CHANGED_WORDS


def _widened(block: ReusedWords, new: Span, gone: Sequence[Span]) -> ReusedWords:
    """The block with the new words beside it, for which words beside it in the old text go."""
    first, last = block.old
    before, after = _around(gone, first), _around(gone, last - 1)
    if block.text == 0 and before is not None and new[0] < block.new[0]:
        first = before[0] if first - before[0] <= MAX_CHANGED_WORDS else first
    if block.text == 0 and after is not None and block.new[1] < new[1]:
        last = after[1] if after[1] - last <= MAX_CHANGED_WORDS else last
    return ReusedWords(new, (first, last), block.text)


def _around(ranges: Sequence[Span], word: int) -> Span | None:
    """The range that a word is in, of some that are in order and apart; None if it is in none."""
    place = bisect_right(ranges, word, key=lambda each: each[0]) - 1
    return ranges[place] if place >= 0 and word < ranges[place][1] else None


def chosen_words(
    chosen: Sequence[ReusedWords],
    script: Sequence[WordEdit],
    texts: Sequence[Transcript],
    new_text: Transcript,
) -> dict[int, tuple[ReusedWords, ...]]:
    """The ``chosen`` words that each edit of the script takes, by the edit's index."""
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
    """The edits of a revision and, if the request moves words, the places in the text that recorded
    ones are taken from, or may be, in order: all that has to be aligned."""
    edits, texts = list(revision.edits), RecordedTexts((revision.text,))
    recorded = texts.matches(edits, revision.new_text) if request.moves else {}
    found = [words for each in recorded.values() for words in each]
    if request.moves:
        most = MAX_OFFERED_PLACES if request.candidates > 1 else MAX_UNASKED_PLACES
        for edit in revision.edits:
            found += texts.short_matches(edit, revision.new_text)[:most]
    edits += [WordEdit("replace", words.old, words.new) for words in found]
    return sorted(edits, key=lambda edit: edit.old)
