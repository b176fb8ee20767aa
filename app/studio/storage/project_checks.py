"""The files of a project that came from outside, read back as this program would have written them.

Whatever isn't is refused with KeyError, TypeError or ValueError; what is written afterwards is made
anew of the values that were checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from a3t.model.saved_voices import OF_RECORDING, RECORDING_PARTS
from a3t.plan.cleaning.cuts import Cut
from a3t.plan.edit_plan import PlannedEdit
from a3t.plan.json_values import checked_alignment, finite_number, string
from a3t.text.phones import ARPABET, PAUSE
from a3t.text.transcript import Transcript, TranscriptWord
from alignment import Alignment, Word
from app.studio.storage.folders import MOST_SPEAKERS, MOST_TAKES, voices_in
from app.studio.storage.heard_tokens import IDS, HeardPart

LONGEST_WORD = 2000  # characters
MOST_WORDS = 20_000  # of a part
LOUDEST = 8.0  # of full scale
KNOWN = {*ARPABET, PAUSE}

Check = Callable[[Any], Any]


# ---- checks of one value, and of what holds such values ----------------------------------------


def whole(value: Any, least: int, end: int) -> int:
    """A whole number in [least, end)."""
    if type(value) is not int or not least <= value < end:
        raise ValueError(value)
    return value


def between(least: int, end: int) -> Check:
    return lambda value: whole(value, least, end)


def one_of(*values: Any) -> Check:
    return lambda value: values[values.index(value)]


def perhaps(check: Check) -> Check:
    return lambda value: None if value is None else check(value)


def each(check: Check) -> Check:
    return lambda values: [check(value) for value in values]


def row(*checks: Check) -> Check:
    return lambda values: [check(v) for check, v in zip(checks, values, strict=True)]


def mapped(check: Check) -> Check:
    return lambda data: {_text(name): check(value) for name, value in data.items()}


def record(**checks: Check) -> Check:
    """Only these fields; all others are left out."""
    return lambda data: {name: check(data[name]) for name, check in checks.items()}


def _text(data: Any) -> str:
    text = string(data)
    if len(text) > LONGEST_WORD:
        raise ValueError("a text")
    return text


def _phone(symbol: Any) -> str:
    if symbol not in KNOWN:
        raise ValueError(symbol)
    return str(symbol)


# ---- words ------------------------------------------------------------------------------------

MARKS = record(text=_text, pause=bool)


def checked_part(data: Any, part: int, seconds: float) -> HeardPart:
    """A checked part: its tokens' ids its own, and nothing after the recording's end."""
    heard = HeardPart.from_json(data)
    if len(heard.tokens) > MOST_WORDS or len(heard.pauses) > MOST_WORDS:
        raise ValueError("a part")
    checks: dict[str, Check] = {
        "id": between(part * IDS, (part + 1) * IDS),
        "text": _text,
        "words": lambda words: _words(words, seconds, spoken=True),
        "pause": bool,
    }
    more = {"speaker": _text, "marked": MARKS, "unmarked": MARKS}
    tokens = [
        record(**checks, **{name: more[name] for name in more if name in token})(token)
        for token in heard.tokens
    ]
    if len({token["id"] for token in tokens}) < len(tokens) or not all(t["words"] for t in tokens):
        raise ValueError("tokens")
    _in_order([word for token in tokens for word in token["words"]])
    pauses = _words(heard.pauses, seconds, spoken=False)
    _in_order(pauses)
    return HeardPart(tokens, pauses)


def _words(data: Any, seconds: float, spoken: bool) -> list[dict[str, Any]]:
    words = [Word.from_json(word) for word in data]
    for word in words:
        phones = [(phone.start, phone.end) for phone in word.phones]
        times = [time for pair in phones for time in pair]
        numbers = [word.score, word.start, word.end, *times, *(p.score for p in word.phones)]
        known = bool(word.phones) and {phone.symbol for phone in word.phones} <= KNOWN
        if not known or bool(word.text) != spoken or not all(map(math.isfinite, numbers)):
            raise ValueError("a word")
        if times != sorted(times) or not 0 <= word.start < word.end <= seconds + 1.0:
            raise ValueError("a word's times")
        if (times[0], times[-1]) != (word.start, word.end):
            raise ValueError("a word's phones")
        _text(word.text), _text(word.unwritten)
    return [word.to_json() for word in words]


def _in_order(words: list[dict[str, Any]]) -> None:
    if any(one["end"] > other["start"] + 1e-3 for one, other in pairwise(words)):
        raise ValueError("words out of order")


def checked_place(data: Any, samples: int) -> dict[str, Any]:
    """A checked place where a piece of the transcript is to be looked for."""
    first = whole(data["first"], 0, samples)
    last = whole(data["last"], first + 1, samples + 1)
    text = Transcript.from_text(string(data["transcript"]["text"]), max_words=None)
    return {"first": first, "last": last, "transcript": text.to_json()}


# ---- voices and takes -------------------------------------------------------------------------

NAMED = record(name=_text, sha256=perhaps(_text))
# What once was not written.
OLDER: dict[str, Any] = {
    "lengths": [],
    "offered": {},
    "voice": None,
    "recorded": None,
}


def checked_voice(data: Mapping[str, Any], sha256: str, seconds: float) -> dict[str, Any]:
    """A checked record of what a voice was learnt from, and how."""
    voice = data["voice"]
    parts: dict[str, Check] = {"parts": one_of(list(RECORDING_PARTS))}
    own = record(
        name=one_of(OF_RECORDING),
        sha256=one_of(sha256),
        steps=between(1, 10_000),
        precision=one_of("float32", "bfloat16"),
        alignment=lambda aligned: checked_alignment(Alignment.from_json(aligned)).to_json(),
        **(parts if voice.get("parts") is not None else {}),
    )(voice)
    if own["alignment"]["duration"] > seconds + 1:
        raise ValueError("a voice")
    return {"model": NAMED(data["model"]), "voice": own}


def checked_voices(data: Any) -> dict[str, str]:
    """The voices that are used, by who speaks."""
    return {_text(who): name for who, name in [*voices_in(data).items()][:MOST_SPEAKERS]}


def checked_take(data: Mapping[str, Any], patch: np.ndarray, about: Mapping[str, Any]) -> Any:
    """A take's record, which belongs to its samples and to the recording."""
    channels, samples = about["file_channels"], about["samples"]
    source = row(between(0, samples + 1), between(0, samples + 1))
    spans = each(record(source=source, length=between(0, 2**31)))(data["spans"])
    total = sum(span["length"] for span in spans)
    if patch.dtype not in (np.float32, np.float64) or patch.shape != (total, channels):
        raise ValueError("a take's samples")
    if total and not np.abs(patch).max() <= LOUDEST:  # not even NaN is
        raise ValueError("a take's samples")
    if any(span["source"][0] > span["source"][1] for span in spans):
        raise ValueError("a take's span")
    checks: dict[str, Check] = {
        "number": between(0, MOST_TAKES),
        "pace": finite_number,
        "duration": perhaps(finite_number),
        "lengths": each(each(finite_number)),
        "words": each(lambda word: _take_word(word, len(spans))),
        "seconds": finite_number,
        "doubts": each(_text),
        "guessed": mapped(_text),
        "offered": mapped(each(record(said=_text, phones=_text))),
    }
    if spans:
        checks |= {
            "level": finite_number,
            "doubtful": each(_text),
            "model": NAMED,
            "vocoder": NAMED,
            "voice": perhaps(NAMED),
            "scores": each(each(row(_text, finite_number))),
            "recorded": perhaps(finite_number),
            "mix": lambda mix: _mix(mix, spans, samples),
        }
    # How a take was ranked (candidate) is of no account any more.
    more = {"candidate": None} if spans else {}
    return record(**checks)(OLDER | dict(data)) | {"spans": spans} | more


def _take_word(data: Mapping[str, Any], spans: int) -> Any:
    length: dict[str, Check] = {"length": row(between(0, spans), between(0, 10_000))}
    return record(
        span=between(0, spans),
        word=between(0, 2**31),
        text=_text,
        start=finite_number,
        end=finite_number,
        **(length if "length" in data else {}),
    )(data)


def _mix(data: Mapping[str, Any], spans: list[dict[str, Any]], samples: int) -> dict[str, Any]:
    edit = record(
        plan=lambda plan: PlannedEdit.from_json(plan).to_json(),
        sources=each(perhaps(between(0, 2**31))),
        anchor=row(between(-1, 2**40), between(-1, 2**40)),
        old=between(0, MOST_WORDS),
        new=each(_new_word),
        phones=each(each(_phone)),
    )
    edits = []
    for entry, span in zip(data["edits"], spans, strict=True):
        excerpts = [_excerpt(one, span, samples) for one in entry.get("excerpts", [])]
        edits.append(edit(entry) | {"excerpts": excerpts})
    for made in edits:
        same = len(made["new"]) == len(made["phones"]), len(made["sources"])
        if same != (True, len(made["plan"]["phones"])):
            raise ValueError("a take's edit")
    cut = None if data.get("cut") is None else Cut.from_json(data["cut"]).to_json()
    ways = each(lambda way: " ".join(map(_phone, way.split())))
    said = mapped(ways)(data.get("said", {}))
    return {"edits": edits, "rate": finite_number(data["rate"]), "cut": cut, "said": said}


def _excerpt(data: Any, span: Mapping[str, Any], samples: int) -> list[Any]:
    first, last, begin, exact = data
    first = whole(first, 0, samples + 1)
    last = whole(last, first, samples + 1)
    return [first, last, whole(begin, 0, span["length"] + 1), exact is True]


def _new_word(data: Mapping[str, Any]) -> dict[str, Any]:
    checks: dict[str, Check] = {
        "text": _text, "written": _text, "pause_after": bool, "token": between(0, 2**31),
        "speaker": _text,
    }  # fmt: skip
    return vars(TranscriptWord(**record(**checks)({"speaker": ""} | dict(data))))
