"""Recognition of a recording's words, by the phone network or Whisper."""

from __future__ import annotations

from alignment.recognition.recogniser import (
    RECOGNISERS,
    RecognisedText,
    recognise,
    recognised_text,
    whisper_model,
)

__all__ = ["RECOGNISERS", "RecognisedText", "recognise", "recognised_text", "whisper_model"]
