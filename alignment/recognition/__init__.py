"""Recognition of a recording's words, by the phone network or by Whisper.

evaluation.hearing.recognition measures them.
"""

from __future__ import annotations

from alignment.recognition.network_recogniser import recognise
from alignment.recognition.whisper import RECOGNISERS, whisper_model

__all__ = ["RECOGNISERS", "recognise", "whisper_model"]
