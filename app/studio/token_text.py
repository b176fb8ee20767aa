"""Tokens as a text: the transcript that they are, with their words as they were heard."""

from __future__ import annotations

from collections.abc import Sequence

from a3t.text.transcript import Transcript, TranscriptWord
from app.studio.pcm_sound import Token


def text_of(tokens: Sequence[Token]) -> str:
    return " ".join(token["text"] for token in tokens)


def transcript_words(tokens: Sequence[Token]) -> list[TranscriptWord]:
    """The spoken words of tokens, each with what is written for it."""
    return [
        TranscriptWord(word["text"], token["text"], bool(token["pause"]) and last, number)
        for number, token in enumerate(tokens)
        for k, word in enumerate(token["words"])
        for last in [k == len(token["words"]) - 1]
    ]


def transcript_of(tokens: Sequence[Token]) -> Transcript:
    """What the tokens say."""
    return Transcript.of_tokens(transcript_words(tokens))
