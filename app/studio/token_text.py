"""Tokens as a text: the transcript that they are, with their words as they were heard."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy

from a3t.text.transcript import Transcript, TranscriptWord
from app.studio.storage.pcm_sound import Token, without_name


def with_speakers(tokens: Sequence[Token], names: Mapping[int, str]) -> list[Token]:
    """The tokens, those of these ids said by these people, "" for nobody that is named; the first
    word of each turn has the name in its text."""
    result: list[Token] = []
    before = ""
    for token in tokens:
        old = str(token.get("speaker", ""))
        name = names.get(token["id"], old)
        begins = f"{name}: " if name and name != before else ""
        own = {key: value for key, value in deepcopy(token).items() if key != "speaker"}
        own |= {"speaker": name} if name else {}
        for each in (own, *(own[key] for key in ("marked", "unmarked") if key in own)):
            each["text"] = begins + without_name({"speaker": old, "text": each["text"]})
        result.append(own)
        before = name
    return result


def speaker_at(tokens: Sequence[Token], first: int, last: int) -> str:
    """The speaker of a text instead of the tokens from `first` to `last`: theirs, or, where there
    are none, the words before; "" if that isn't known."""
    near = tokens[first : first + 1] if first < last else tokens[max(first - 1, 0) :][:1]
    return str(near[0].get("speaker", "")) if near else ""


def lines_of(tokens: Sequence[Token], first: int, last: int, text: str) -> tuple[str, str]:
    """The text of some tokens, and their text with another instead of those from `first` to
    `last`. Where several people are named, each turn is a line that begins with the name."""
    names = [str(token.get("speaker", "")) for token in tokens]
    old = [without_name(token) for token in tokens]
    if first < last and names[first]:
        text = text.removeprefix(f"{names[first]}:").strip()
    new = [*zip(names[:first], old[:first], strict=True)]
    if text:
        new.append((speaker_at(tokens, first, last), text))
    new += zip(names[last:], old[last:], strict=True)
    named = len(set(names)) > 1
    return _lines(zip(names, old, strict=True), named), _lines(new, named)


def _lines(said: Iterable[tuple[str, str]], named: bool) -> str:
    lines: list[str] = []
    before = ""
    for name, text in said:
        if named and name and name != before:
            lines.append(f"\n{name}:")
            before = name
        lines.append(text)
    return " ".join(lines).replace(" \n", "\n").strip()


def transcript_words(tokens: Sequence[Token]) -> list[TranscriptWord]:
    """The spoken words of tokens, each with what is written for it."""
    return [
        TranscriptWord(
            word["text"],
            token["text"],
            bool(token["pause"]) and last,
            number,
            token.get("speaker", ""),
        )
        for number, token in enumerate(tokens)
        for k, word in enumerate(token["words"])
        for last in [k == len(token["words"]) - 1]
    ]


def transcript_of(tokens: Sequence[Token]) -> Transcript:
    """The transcript of the tokens."""
    return Transcript.of_tokens(transcript_words(tokens))
