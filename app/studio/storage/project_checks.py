"""The files of a project that came from outside, read back as this program would have written them.

Whatever isn't is refused with KeyError, TypeError or ValueError; what is written afterwards is made
anew of the values that were checked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
from app.studio.storage.pcm_sound import IDS, HeardPart

LONGEST_WORD = 2000  # characters
MOST_WORDS = 20_000  # of a part
LOUDEST = 8.0  # of full scale
KNOWN = {*ARPABET, PAUSE}


def checked_part(data: Any, part: int, seconds: float) -> HeardPart:
    """A checked part: its tokens' ids its own, and nothing after the recording's end."""
    heard = HeardPart.from_json(data)
    if len(heard.tokens) > MOST_WORDS or len(heard.pauses) > MOST_WORDS:
        raise ValueError("a part")
    tokens: list[dict[str, Any]] = [
        {
            "id": whole(token["id"], part * IDS, (part + 1) * IDS),
            "text": _text(token["text"]),
            "words": _words(token["words"], seconds, spoken=True),
            "pause": bool(token["pause"]),
            **({"speaker": _text(token["speaker"])} if "speaker" in token else {}),
            **_marks(token),
        }
        for token in heard.tokens
    ]
    if len({token["id"] for token in tokens}) < len(tokens) or not all(t["words"] for t in tokens):
        raise ValueError("tokens")
    _in_order([word for token in tokens for word in token["words"]])
    pauses = _words(heard.pauses, seconds, spoken=False)
    _in_order(pauses)
    return HeardPart(tokens, pauses)


def _marks(token: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: {"text": _text(token[name]["text"]), "pause": bool(token[name]["pause"])}
        for name in ("marked", "unmarked")
        if name in token
    }


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


def checked_take(data: Mapping[str, Any], patch: np.ndarray, about: Mapping[str, Any]) -> Any:
    """A take's record, which belongs to its samples and to the recording."""
    channels, samples = about["file_channels"], about["samples"]
    spans: list[dict[str, Any]] = []
    for span in data["spans"]:
        first = whole(span["source"][0], 0, samples + 1)
        last = whole(span["source"][1], first, samples + 1)
        spans.append({"source": [first, last], "length": whole(span["length"], 0, 2**31)})
    total = sum(span["length"] for span in spans)
    if patch.dtype not in (np.float32, np.float64) or patch.shape != (total, channels):
        raise ValueError("a take's samples")
    if total and not np.abs(patch).max() <= LOUDEST:  # not even NaN is
        raise ValueError("a take's samples")
    record = {
        "number": whole(data["number"], 0, MOST_TAKES),
        "pace": finite_number(data["pace"]),
        "duration": None if data["duration"] is None else finite_number(data["duration"]),
        "spans": spans,
        "lengths": [[finite_number(x) for x in own] for own in data.get("lengths", [])],
        "words": [_take_word(word, len(spans)) for word in data["words"]],
        "seconds": finite_number(data["seconds"]),
        "doubts": [_text(doubt) for doubt in data["doubts"]],
        "guessed": {_text(word): _text(phones) for word, phones in data["guessed"].items()},
        "offered": {
            _text(word): [
                {"said": _text(way["said"]), "phones": _text(way["phones"])} for way in ways
            ]
            for word, ways in data.get("offered", {}).items()
        },
    }
    if not spans:
        return record
    return record | {
        "level": finite_number(data["level"]),
        "doubtful": [_text(word) for word in data["doubtful"]],
        "model": _named(data["model"]),
        "vocoder": _named(data["vocoder"]),
        "voice": None if data.get("voice") is None else _named(data["voice"]),
        "candidate": None,  # how a take was ranked is of no account any more
        "scores": [[[_text(w), finite_number(x)] for w, x in words] for words in data["scores"]],
        "recorded": None if data.get("recorded") is None else finite_number(data["recorded"]),
        "mix": _mix(data["mix"], spans, samples),
    }


def checked_voice(data: Mapping[str, Any], sha256: str, seconds: float) -> dict[str, Any]:
    """A checked record of what a voice was learnt from, and how."""
    voice = data["voice"]
    aligned = checked_alignment(Alignment.from_json(voice["alignment"]))
    if (voice["name"], voice["sha256"]) != (OF_RECORDING, sha256) or aligned.duration > seconds + 1:
        raise ValueError("a voice")
    if voice["precision"] not in ("float32", "bfloat16"):
        raise ValueError("a precision")
    parts = voice.get("parts")
    if parts not in (None, list(RECORDING_PARTS)):
        raise ValueError("parts of the network")
    own = {
        "name": OF_RECORDING,
        "sha256": sha256,
        "steps": whole(voice["steps"], 1, 10_000),
        "precision": str(voice["precision"]),
        "alignment": aligned.to_json(),
    }
    if parts is not None:
        own["parts"] = parts
    return {"model": _named(data["model"]), "voice": own}


def checked_voices(data: Any) -> dict[str, str]:
    """The voices that are used, by who speaks."""
    return {_text(who): name for who, name in [*voices_in(data).items()][:MOST_SPEAKERS]}


def _take_word(data: Mapping[str, Any], spans: int) -> dict[str, Any]:
    result = {
        "span": whole(data["span"], 0, spans),
        "word": whole(data["word"], 0, 2**31),
        "text": _text(data["text"]),
        "start": finite_number(data["start"]),
        "end": finite_number(data["end"]),
    }
    if "length" in data:
        place, unit = data["length"]
        result["length"] = [whole(place, 0, spans), whole(unit, 0, 10_000)]
    return result


def _mix(
    data: Mapping[str, Any], spans: Sequence[Mapping[str, Any]], samples: int
) -> dict[str, Any]:
    edits: list[dict[str, Any]] = [
        {
            "plan": PlannedEdit.from_json(entry["plan"]).to_json(),
            "sources": [None if x is None else whole(x, 0, 2**31) for x in entry["sources"]],
            "anchor": [whole(x, -1, 2**40) for x in entry["anchor"]],
            "old": whole(entry["old"], 0, MOST_WORDS),
            "new": [_new_word(word) for word in entry["new"]],
            "phones": [[_phone(symbol) for symbol in phones] for phones in entry["phones"]],
            "excerpts": [_excerpt(each, span, samples) for each in entry.get("excerpts", [])],
        }
        for entry, span in zip(data["edits"], spans, strict=True)
    ]
    for edit in edits:
        same = len(edit["new"]) == len(edit["phones"]), len(edit["sources"])
        if same != (True, len(edit["plan"]["phones"])) or len(edit["anchor"]) != 2:
            raise ValueError("a take's edit")
    cut = None if data.get("cut") is None else Cut.from_json(data["cut"]).to_json()
    said = {
        _text(word): [" ".join(map(_phone, way.split())) for way in ways]
        for word, ways in data.get("said", {}).items()
    }
    return {"edits": edits, "rate": finite_number(data["rate"]), "cut": cut, "said": said}


def _excerpt(data: Any, span: Mapping[str, Any], samples: int) -> list[Any]:
    first, last, begin, exact = data
    first = whole(first, 0, samples + 1)
    last = whole(last, first, samples + 1)
    return [first, last, whole(begin, 0, span["length"] + 1), exact is True]


def _new_word(data: Mapping[str, Any]) -> dict[str, Any]:
    word = TranscriptWord(
        _text(data["text"]),
        _text(data["written"]),
        bool(data["pause_after"]),
        whole(data["token"], 0, 2**31),
        _text(data.get("speaker", "")),
    )
    return vars(word)


def _phone(symbol: Any) -> str:
    if symbol not in KNOWN:
        raise ValueError(symbol)
    return str(symbol)


def _named(data: Mapping[str, Any]) -> dict[str, str | None]:
    sha256 = data["sha256"]
    return {"name": _text(data["name"]), "sha256": None if sha256 is None else _text(sha256)}


def _text(data: Any) -> str:
    text = string(data)
    if len(text) > LONGEST_WORD:
        raise ValueError("a text")
    return text


def whole(value: Any, least: int, end: int) -> int:
    """A whole number in [least, end)."""
    if type(value) is not int or not least <= value < end:
        raise ValueError(value)
    return value
