"""Count how many of several changes in one text are listed, for `near-words --several`.

A minute of clips of one voice is heard once, and compared with texts: two with two to five random
changes (words replaced, put in, left out, inflected by a phone), three with one change, one with
none; with a transcript that a3t wrote and somebody changed in several places; and with other
recordings' texts. A row keeps the places where a text differs with their evidence, so that with
``--out`` a judgement by other weights is another report of the same rows: nothing is heard again.

Somebody who answers truthfully ticks each listed difference that has a change in it. Named: the
changes that are listed at all; the list's lines are the differences that aren't folded into one
line as surely misheard. Right: the changes are made whole, and nothing besides.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from a3t.errors import InputError
from a3t.source.change_detection import ComparedText, SpeechComparison
from a3t.source.decision import BUILT_IN, SECOND_OPINION, WHISPER
from a3t.source.differences import (
    is_doubtful,
    listed,
    require_own_text,
    said_text,
    with_open_article,
    without_left_words,
)
from a3t.source.evidence import Evidence
from a3t.source.records import Comparison, FoundTranscript, Place
from a3t.source.usual_words import rare_words
from a3t.spans import Span
from a3t.text.comparison.edit_script import minimal_script
from a3t.text.pronunciation.lexicon import in_lexicon
from a3t.text.transcript import Transcript
from alignment.aligner import InMemory
from alignment.recognition import whisper_model
from evaluation.harness.declared_tables import (
    Column,
    Figures,
    Row,
    Rows,
    figure_name,
    proportion,
    rate,
    share,
)
from evaluation.harness.measurement import Setting
from evaluation.harness.report_files import markdown_table
from evaluation.hearing.near_texts import as_written, joined_by_voice, near, usable
from evaluation.hearing.planting import PlantedChange, Spoken, others, vocabulary

FEWEST, MOST = 2, 5  # changes of a text
SEVERAL_TEXTS, ONE_TEXTS = 2, 3  # of a recording
MIN_APART = 2  # words between two
ONE_WORD = 3  # of so many changes all but one are of a single word
WEIGHTS = {"whisper": WHISPER, "network": BUILT_IN, "second": SECOND_OPINION}


class ChangedText(NamedTuple):
    """What is said, the changes of it in order, and the text with them."""

    said: tuple[str, ...]
    changes: tuple[PlantedChange, ...]

    @property
    def new(self) -> list[str]:
        """The words of the new text."""
        words: list[str] = [*self.said]
        for change in self.changes[::-1]:
            words = change.of(words)
        return words

    def places(self) -> Iterator[Span]:
        """Return the words [first, last) of the new text that each change has."""
        moved = 0
        for change in self.changes:
            first = change.start + moved
            yield first, first + len(change.new)
            moved += len(change.new) - (change.stop - change.start)


class HeardMinute(NamedTuple):
    """A minute of a voice for a recogniser, its texts by kind, and other recordings' texts."""

    name: str
    recogniser: str
    spoken: Spoken
    texts: dict[str, ChangedText]
    strange: tuple[str, ...]


@cache
def inflected(word: str) -> tuple[str, ...]:
    """Return words that people use, and that differ at the end, as "supposed" from "suppose"."""
    longer = [f"{word}{ending}" for ending in ("s", "d", "ed", "ly")]
    shorter = [word[: -len(ending)] for ending in ("s", "d", "ed") if word.endswith(ending)]
    known = [each for each in (*longer, *shorter) if len(each) > 2 and in_lexicon(each)]
    return tuple(each for each in known if not rare_words([each]))


def several(words: Sequence[str], pool: Sequence[str], number: int, seed: int) -> ChangedText:
    """Plant FEWEST to MOST changes, the same for the same `number` and `seed`."""
    draw = random.Random(f"several-{seed}-{number}")
    wanted, changes = draw.randint(FEWEST, MOST), list[PlantedChange]()
    for _ in range(200):
        if len(changes) == wanted:
            break
        change = _change(words, pool, draw)
        clear = all(
            change.stop + MIN_APART <= each.start or each.stop + MIN_APART <= change.start
            for each in changes
        )
        if change.of(words) != [*words] and clear:
            changes.append(change)
    return ChangedText(tuple(words), tuple(sorted(changes, key=lambda each: each.start)))


def _change(words: Sequence[str], pool: Sequence[str], draw: random.Random) -> PlantedChange:
    count = 1 if draw.randrange(ONE_WORD) else 2
    start = draw.randint(1, len(words) - count - 1)
    match draw.choice(["other", "near", "inflected", "added", "left out"]):
        case "near":
            found = near(words, draw.randrange(2), draw.randrange(10**6))
            if found is not None:
                return found
        case "inflected":
            if ways := inflected(words[start]):
                return PlantedChange(start, start + 1, (draw.choice(ways),))
        case "added":
            return PlantedChange(start, start, others(pool, words, draw, count))
        case "left out":
            return PlantedChange(start, start + count, ())
    return PlantedChange(start, start + count, others(pool, words, draw, count))


def heard_minutes(setting: Setting) -> Iterator[HeardMinute]:
    """Return the recordings, for one recogniser after the other."""
    options = setting.options
    clips = as_written(usable(setting), setting)
    pool = vocabulary(clips)
    recordings = [*joined_by_voice(clips, 1)]
    for recogniser in options.recogniser or ("network",):
        for number, spoken in enumerate(recordings):
            texts = {"none": ChangedText(spoken.words, ())}
            for k in range(SEVERAL_TEXTS + ONE_TEXTS):
                text = several(spoken.words, pool, 100 * number + k, options.seed)
                if k < SEVERAL_TEXTS:
                    texts[f"several {k}"] = text
                else:
                    texts[f"one {k}"] = text._replace(changes=text.changes[:1])
            strange = [" ".join(each.words) for each in recordings if each is not spoken]
            name = f"{recogniser} {number} {spoken.clip.name}"
            yield HeardMinute(name, recogniser, spoken, texts, tuple(strange))


def places_of(minute: HeardMinute, setting: Setting) -> Iterator[Row]:
    """Return the places and the evidence of each text."""
    model = whisper_model(minute.recogniser)
    sound = InMemory(minute.spoken.samples, minute.spoken.rate)
    speech = SpeechComparison(sound, setting.pronouncer, model)
    written = speech.heard_freely.transcript.spoken
    pool = sorted({*minute.spoken.words})
    edited = several(written, pool, len(written), setting.options.seed)
    for kind, text in (*minute.texts.items(), ("written", edited)):
        own = Transcript.from_text(" ".join(written)) if kind == "written" else None
        new = Transcript.from_text(" ".join(text.new))
        compared = speech.closely_compared(new, freely=own is not None)
        yield _row(minute, kind, text, compared, own) | {"written": " ".join(written)}
    for k, strange in enumerate(minute.strange if model else minute.strange[:3]):
        text = ChangedText(tuple(strange.split()), ())
        heard = Transcript.from_text(" ".join(written))
        if model is None:
            heard = speech.heard_by(Transcript.from_text(strange))
        row = _row(minute, "another's", text, None, None)
        yield row | {"name": f"{minute.name} {k}", "heard": heard.spoken}


def _row(
    minute: HeardMinute,
    kind: str,
    text: ChangedText,
    compared: ComparedText | None,
    written: Transcript | None,
) -> Row:
    row = {
        "kind": kind.split()[0],
        "recogniser": minute.recogniser.rsplit("/", 1)[-1],
        "where": "clean" if minute.spoken.clip.corpus == "librispeech" else "at home",
        "voice": minute.spoken.clip.speaker,
        "name": minute.name,
        "seconds": len(minute.spoken.samples) / minute.spoken.rate,
        "said": " ".join(text.said),
        "new": " ".join(text.new),
    }
    if compared is None:
        return row
    new = compared.new.spoken
    return row | {
        "heard": compared.heard.transcript.spoken,
        "confidences": compared.heard.known_confidences,
        "spelt": new,
        "changes": [_moved(place, text.new, new) for place in text.places()],
        "places": compared.places,
        "evidence": compared.evidence,
        "weights": next(name for name, each in WEIGHTS.items() if each == compared.weights),
        "kept": None if written is None else written.spoken,
    }


def _moved(place: Span, new: Sequence[str], spelt: Sequence[str]) -> Span:
    """Return the place in the new text as the comparison spells it."""
    first, last = place
    shift = 0
    for edit in minimal_script(new, spelt):
        if edit.old[1] <= first:
            shift = edit.new[1] - edit.old[1]
        elif edit.old[0] < last:  # it is spelt otherwise itself
            return min(first + shift, edit.new[0]), max(edit.new[1], last + shift)
    return first + shift, last + shift


def judged(row: Row) -> Row:
    """Judge the places of a row with the present weights."""
    places = [Place(tuple(heard), tuple(new)) for heard, new in row["places"]]
    evidence = [None if each is None else Evidence(*each) for each in row["evidence"]]
    spelt = _plain(row["spelt"])
    heard = _plain(row["heard"])
    known = FoundTranscript(heard, confidences=tuple(row["confidences"]))
    weights = WEIGHTS[row["weights"]]
    compared = ComparedText(known, spelt, tuple(places), tuple(evidence), weights).judged()
    if row["kept"] is None:
        compared = with_open_article(compared)
    else:
        compared = without_left_words(compared, _plain(row["kept"]))
    changes = [tuple(each) for each in row["changes"]]
    holders = [_holders(compared.places, change) for change in changes]
    is_change = [any(k in own for own in holders) for k in range(len(compared.places))]
    nowhere = [(0, 0)] * len(said_text(compared).transcript.words)
    differences = listed(compared, nowhere, 0)
    shown = [each.has_line for each in differences]
    ticked = [compared.places[each.number - 1] for each in differences if each.ticked]
    answered = [place for place, yes in zip(compared.places, is_change, strict=True) if yes]
    asked = is_doubtful(compared.judgements)
    right_ticked = _is_right(ticked, changes)
    return row | {
        "changed": len(changes),
        "named": sum(map(bool, holders)),
        "shown": sum(any(shown[k] for k in own) for own in holders),
        "false": sum(yes and not own for yes, own in zip(shown, is_change, strict=True)),
        "folded": sum(not yes and not own for yes, own in zip(shown, is_change, strict=True)),
        "right": _is_right(answered if asked or not ticked else ticked, changes),
        "right_ticked": right_ticked,
        "asked": asked,
        "unasked": bool(ticked) and not asked and not right_ticked,
        "minutes": row["seconds"] / 60,
    }


def _plain(words: Iterable[str]) -> Transcript:
    return Transcript.of_spoken([*words])


def _holders(places: Sequence[Place], change: Span) -> list[int]:
    """Return the places, by number, that somebody ticks who made the change.

    Of words left out that is a place without new words, if there is one, not the word beside it.
    """
    found = [k for k, place in enumerate(places) if _holds(place, change)]
    alone = [k for k in found if places[k].new == change]
    return alone if alone and change[0] == change[1] else found


def _holds(place: Place, change: Span) -> bool:
    """Return whether a place has (part of) a change in it."""
    (first, last), new = change, place.new
    if first == last:  # left out
        return new[0] <= first <= new[1] and place.heard[0] < place.heard[1]
    return new[0] < last and first < new[1]


def _is_right(places: Sequence[Place], changes: Sequence[Span]) -> bool:
    """Return whether all changes are made by these places, and nothing besides."""
    made = {k for place in places for k in range(*place.new)}
    cut = [place.new[0] for place in places if place.new[0] == place.new[1]]
    wanted = {k for change in changes for k in range(*change)}
    gone = [first for first, last in changes if first == last]
    at_edge = all(any(a <= k <= b for a, b in changes) for k in cut)
    return (
        made == wanted
        and at_edge
        and all(any(place.new[0] <= k <= place.new[1] for place in places) for k in gone)
    )


def refused(row: Row) -> Row:
    """Judge whether another recording's text is refused."""
    heard, new = _plain(row["heard"]), _plain(row["new"].split())
    sure = (1.0,) * len(heard.words), (1.0,) * len(new.words)
    try:
        require_own_text(Comparison(heard, sure[0], new, sure[1], (), ()))
    except InputError:
        return row | {"made": False}
    return row | {"made": True}


class Line(NamedTuple):
    """A line of the table: rows of some kinds, a figure of them, and the aim."""

    head: str
    kinds: tuple[str, ...]
    column: Column
    aim: str


SEVERAL, ONE = ("several",), ("one",)
LINES = (
    Line(
        "2–5 changes: named in the list", SEVERAL,
        proportion("named", "named", "changed"), "≥ 98",
    ),
    Line("… in a line of their own", SEVERAL, proportion("shown", "shown", "changed"), ""),
    Line("all and only there after answering", SEVERAL, share("right", "right"), "≥ 95"),
    Line(
        "of the ticked ones alone (`--yes`)", SEVERAL,
        share("right-ticked", "right_ticked"), "≥ 60",
    ),
    Line(
        "lines that are no change, a minute", SEVERAL,
        rate("false", "false", "minutes", per=1), "≤ 3 tiny.en, ≤ 6 built-in",
    ),
    Line("folded as misheard, a minute", SEVERAL, rate("folded", "folded", "minutes", per=1), ""),
    Line("one change: right and only there", ONE, share("right", "right"), "≥ 95"),
    Line("one change: asked first", ONE, share("asked", "asked"), "≤ 25"),
    Line("changed wrongly unasked", SEVERAL + ONE, share("unasked", "unasked"), "≤ 1"),
    Line("another recording's text made", ("another's",), share("made", "made"), "0 of 60"),
    Line("same text: changed unasked", ("none",), share("unasked", "unasked"), "0 of 100"),
    Line("same text: asked", ("none",), share("asked", "asked"), ""),
    Line(
        "transcribed, changed, edited: other words changed, a minute", ("written",),
        rate("false", "false", "minutes", per=1), "0",
    ),
    Line("… changes named", ("written",), proportion("named", "named", "changed"), ""),
)  # fmt: skip


def found_rows(rows: Rows) -> list[Row]:
    """Judge all rows with the present weights."""
    return [refused(row) if row["kind"] == "another's" else judged(row) for row in rows]


def figures(rows: Rows) -> Figures:
    """Return the figure of each line by its recogniser, kind and column: whisper.several.named."""
    found = found_rows(rows)
    return {
        figure_name(name, line.kinds[0], line.column.head): line.column.of(used)
        for name in dict.fromkeys(row["recogniser"] for row in found)
        for line in LINES
        if (used := [r for r in found if r["recogniser"] == name and r["kind"] in line.kinds])
    }


def report(rows: Rows) -> str:
    """Write the table of each condition, a column a recogniser."""
    found = found_rows(rows)
    recognisers = list(dict.fromkeys(row["recogniser"] for row in found))
    parts = []
    for where in (None, *sorted({row["where"] for row in found})):
        own = [row for row in found if where in (None, row["where"])]
        lines = []
        for line in LINES:
            cells = [line.head]
            for recogniser in recognisers:
                used = [row for row in own if row["recogniser"] == recogniser]
                used = [row for row in used if row["kind"] in line.kinds]
                cells.append(f"{line.column.shown(used)}; n {len(used)}" if used else "–")
            lines.append([*cells, line.aim])
        parts.append(f"{where or 'all'}\n\n{markdown_table(['', *recognisers, 'aim'], lines)}")
    return "\n".join(parts)
