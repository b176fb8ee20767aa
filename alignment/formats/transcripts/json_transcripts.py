"""Transcripts in JSON, as speech recognisers and aligners write them: a table of their layouts."""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from alignment.errors import InputError
from alignment.formats.transcripts.cues import Cue, Parsed
from alignment.formats.transcripts.lines import speaker_name

_NUMBER = re.compile(r"\d{1,9}(?:\.\d{0,9})?")
_BEGINNING = re.compile(r"\s{0,99}(?:\[\s{0,99})?\{\s{0,99}([\"'])\w{1,40}\1\s{0,9}:")
_WORD = "punctuated_word word text value"
_STARTS, _ENDS = "start start_time timestamp.0", "end end_time timestamp.1"
_TEXTS = ("text", "transcript")


class JsonLayout(NamedTuple):
    """The place of a program's words or sentences in its JSON.

    items: the path to each; "*" stands for all of a list. text, start, end: the paths of these in
    an item, with spaces between; the first that is there is read. whole: the path of the whole
    text. unit: of the times, in seconds. only_with: keys that the whole must have.
    """

    name: str
    items: str
    text: str
    start: str = "start"
    end: str = "end"
    whole: str = ""
    unit: float = 1.0
    only_with: str = ""


JSON_LAYOUTS = tuple(
    JsonLayout(*row)
    for row in (
        ("Deepgram's JSON", "results.channels.0.alternatives.0.words.*", _WORD, "start", "end",
         "results.channels.0.alternatives.0.transcript"),
        ("Amazon Transcribe's JSON", "results.items.*", "alternatives.0.content", "start_time",
         "end_time", "results.transcripts.0.transcript"),
        ("Google's JSON", "results.*.alternatives.0.words.*", _WORD, "startTime startOffset",
         "endTime endOffset"),
        ("Watson's JSON", "results.*.alternatives.0.timestamps.*", "0", "1", "2"),
        ("Google's JSON", "results.*.alternatives.0", "transcript"),
        ("Azure's JSON", "recognizedPhrases.*.nBest.0.words.*", "word", "offsetInTicks", "end",
         "combinedRecognizedPhrases.0.display", 1e-7),
        ("NeMo's JSON", "timestamp.word.*", "word", "start", "end", "text"),
        ("a podcast's JSON", "segments.*", "body", "startTime", "endTime"),
        ("Speechmatics' JSON", "results.*", "alternatives.0.content", "start_time", "end_time"),
        ("Rev's JSON", "monologues.*.elements.*", "value", "ts", "end_ts"),
        ("whisper.cpp's JSON", "transcription.*", "text", "offsets.from", "offsets.to", "", 1e-3),
        ("AssemblyAI's JSON", "utterances.*.words.*", _WORD, "start", "end", "", 1e-3),
        ("AssemblyAI's JSON", "words.*", "text", "start", "end", "text", 1e-3,
         "words text confidence"),
        ("Whisper's JSON", "segments.*", "text transcript", "start", "end", "text"),
        ("Whisper's JSON", "chunks.*", "text", "timestamp.0", "timestamp.1", "text"),
        ("gentle's JSON", "words.*", _WORD, "start", "end", "transcript", 1.0, "words transcript"),
        ("Vosk's JSON", "result.*", _WORD, "start", "end", "text"),
        ("YouTube's JSON", "events.*", "segs.*.utf8", "tStartMs", "end", "", 1e-3),
        ("MFA's JSON", "tiers.words.entries.*", "2", "0", "1"),
        ("timed words in JSON", "words.*", _WORD, _STARTS, _ENDS, "text"),
        ("timed sentences in JSON", "*", "text transcript word", _STARTS, _ENDS),
    )
)  # fmt: skip


def loaded(text: str, name: str) -> Any:
    """Parse a JSON object, a list of them, or one in each line; return None for another text.

    Raises InputError for a text that begins so and is broken.
    """
    if not _BEGINNING.match(text):
        return None
    with contextlib.suppress(ValueError, RecursionError):
        return json.loads(text)
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        raise InputError(f"{name} is broken JSON: save it again, or give its text.") from None


def read_json(data: Any) -> tuple[str, Parsed] | None:
    """Return the name of the layout that has cues, and what is read; None if none has."""
    for layout in JSON_LAYOUTS:
        known = all(key in data for key in layout.only_with.split())
        if known and (cues := _cues(data, layout)):
            whole = next(_values(data, layout.whole), "") if layout.whole else ""
            keeps = isinstance(whole, str) and not any(cue.speaker for cue in cues)
            return layout.name, Parsed(cues, " ".join(whole.split()) if keeps else "")
    return None


def text_in(data: Any, name: str) -> str:
    """Return the text of a JSON without cues; raise InputError if it has none."""
    for key in _TEXTS:
        if isinstance(said := data.get(key) if isinstance(data, dict) else None, str) and said:
            return said
    raise InputError(
        f"{name} is not a transcript in JSON that a3t knows: save it as text, .srt or .vtt."
    )


def _cues(data: Any, layout: JsonLayout) -> list[Cue]:
    """Return the cues of a layout; a segment's words instead of it where all of them have times."""
    cues: list[Cue] = []
    for item, speaker in _items(data, layout.items.split("."), ""):
        words = item.get("words") if isinstance(item, dict) else None
        if words and isinstance(words, list):
            word_cues = [_cue(word, layout, "word text", speaker) for word in words]
            if all(cue.text and math.isfinite(cue.start) for cue in word_cues):
                cues += word_cues
                continue
        cue = _cue(item, layout, layout.text, speaker)
        if not cue.text:
            continue
        if not any(map(str.isalnum, cue.text)) and cues and len(cue.text) < 4:
            cues[-1] = cues[-1]._replace(text=f"{cues[-1].text}{cue.text}")  # a comma of its own
            continue
        cues.append(cue)
    return cues


def _cue(item: Any, layout: JsonLayout, keys: str, speaker: str) -> Cue:
    texts = ("".join(map(str, _values(item, key))) for key in keys.split())
    text = " ".join(next((text for text in texts if text), "").split())
    start, end = (
        next(
            (_seconds(v, layout.unit) for key in paths.split() for v in _values(item, key)),
            math.nan,
        )
        for paths in (layout.start, layout.end)
    )
    return Cue(start, end, text, _speaker(item) or speaker)


def _items(data: Any, path: Sequence[str], speaker: str) -> Iterator[tuple[Any, str]]:
    """Yield the items at a path, each with the speaker named above it."""
    speaker = _speaker(data) or speaker
    if not path:
        if isinstance(data, dict | list):
            yield data, speaker
        return
    step, *rest = path
    if step == "*":
        for each in data if isinstance(data, list) else ():
            yield from _items(each, rest, speaker)
    else:
        for each in _values(data, step):
            yield from _items(each, rest, speaker)


def _values(data: Any, path: str) -> Iterator[Any]:
    """Yield the values at a path: none if it isn't there."""
    step, _, rest = path.partition(".")
    values: list[Any] = []
    if step == "*":
        values = data if isinstance(data, list) else []
    elif isinstance(data, dict) and step in data:
        values = [data[step]]
    elif isinstance(data, list) and step.isdigit() and int(step) < len(data):
        values = [data[int(step)]]
    for each in values:
        if rest:
            yield from _values(each, rest)
        elif each is not None:
            yield each


def _speaker(item: Any) -> str:
    """Return the speaker's name that an item has: "Speaker 0" for 0, spk_0 and SPEAKER_00."""
    if not isinstance(item, Mapping):
        return ""
    given = next((item[k] for k in ("speaker", "speaker_label", "speakerTag") if k in item), None)
    if isinstance(given, Mapping):
        given = given.get("name")
    if given is None or isinstance(given, float | bool | list) or not str(given).strip():
        return ""
    name = " ".join(str(given).split())[:40]
    return speaker_name(name)


def _seconds(value: Any, unit: float) -> float:
    """Return a time in seconds by its unit, NaN for what is none."""
    if isinstance(value, str):
        value = value.strip().removesuffix("s")
        value = float(value) if _NUMBER.fullmatch(value) else math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    try:
        seconds = float(value) * unit
    except OverflowError:
        return math.nan
    return seconds if 0 <= seconds < 1e9 else math.nan
