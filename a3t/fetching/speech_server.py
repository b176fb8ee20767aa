"""Speech of new words from an engine of one's own, behind OpenAI's /v1/audio/speech.

What a server answers is foreign: it is read up to a size and a time, has to be a sound, and is
marked as synthetic, in its file and by a watermark, before anything uses it.
"""

from __future__ import annotations

import http.client
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from a3t.audio.output.provenance import Trace, provenance_block
from a3t.audio.output.watermark import with_watermark
from a3t.audio.output.writing import write_speech
from a3t.audio.reading.recording import Recording
from a3t.errors import InputError

PATH = "/audio/speech"
USUAL = {"model": "tts-1", "voice": "alloy"}  # the names of OpenAI's own, which many servers know
KEY = "A3T_SPEECH_KEY"  # the environment's variable with the server's key
SILENT_S = 60.0  # a server may be silent so long, …
ANSWER_S = 300.0  # … and take so long in all
MAX_BYTES = 64 << 20
MAX_CHARACTERS = 4096  # of a text, as OpenAI's own
BLOCK = 1 << 16
EXAMPLE = "http://localhost:8880/v1?voice=NAME"


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A handler that follows no redirection: the key and the text are for the server named."""

    def redirect_request(self, *_: Any) -> None:
        return None


@dataclass(frozen=True)
class SpeechServer:
    """A server that speaks: its endpoint's address, and the model and voice to ask it for."""

    url: str
    model: str
    voice: str

    @classmethod
    def of(cls, address: str) -> SpeechServer:
        """Return the server of an address, http or https.

        ``?voice=`` and ``&model=`` may be added to it. Raises InputError for any other.
        """
        try:
            parts = urllib.parse.urlsplit(address)
            port_is_valid = parts.port is None or parts.port > 0
        except ValueError:
            parts, port_is_valid = urllib.parse.urlsplit(""), False
        if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_valid:
            raise InputError(f"{address[:80]!r} is no server's address: give one like {EXAMPLE}.")
        if parts.username is not None or parts.fragment:
            raise InputError(
                f"A server's address has no user and no fragment: put its key into {KEY}."
            )
        named = dict(urllib.parse.parse_qsl(parts.query))
        if strange := sorted(named.keys() - USUAL.keys()):
            raise InputError(f"A server is told a voice and a model, not {strange[0]!r}: {EXAMPLE}")
        path = parts.path.rstrip("/")
        path += "" if path.endswith(PATH) else PATH
        url = urllib.parse.urlunsplit((parts.scheme, parts.netloc, path, "", ""))
        return cls(url, **{name: named.get(name, usual) for name, usual in USUAL.items()})

    @property
    def name(self) -> str:
        """Who speaks, for a file's record."""
        return f"{self.model} {self.voice}, {urllib.parse.urlsplit(self.url).hostname}"

    def speak(self, text: str, out: Path) -> None:
        """Write a text, spoken by the server, to a WAV file that says so; InputError if it can't.

        Raises InputError for an answer that is no sound, too large or too late.
        """
        if len(text) > MAX_CHARACTERS:
            raise InputError(f"A server is asked for {MAX_CHARACTERS} characters at most.")
        body = {"model": self.model, "voice": self.voice, "input": text, "response_format": "wav"}
        sound = self._answer(json.dumps(body).encode())
        with TemporaryDirectory() as folder:
            path = Path(folder, "answer.wav")
            path.write_bytes(sound)
            try:
                recording = Recording.open(path)
                samples = recording.mono(0, recording.samples)
            except InputError:
                raise InputError(f"What {self.url} answered is no sound.") from None
        rate = recording.sample_rate
        if not len(samples) or not np.abs(samples).max() > 0:
            raise InputError(f"What {self.url} answered is silent.")
        block = provenance_block(
            [Trace(0.0, len(samples) / rate, True, text, self.name)], len(samples), rate
        )
        write_speech(out, with_watermark(samples, rate), rate, comment=block)

    def _answer(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get(KEY):
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(self.url, body, headers)
        begun = time.monotonic()
        answer = bytearray()
        try:
            with urllib.request.build_opener(_NoRedirects).open(request, timeout=SILENT_S) as file:
                while block := file.read1(BLOCK):
                    answer += block
                    if len(answer) > MAX_BYTES:
                        raise InputError(f"{self.url} answers more than {MAX_BYTES >> 20} MB.")
                    if time.monotonic() - begun > ANSWER_S:
                        raise InputError(f"{self.url} takes more than {ANSWER_S:.0f} s.")
        except urllib.error.HTTPError as error:
            why = " ".join(error.read(300).decode(errors="replace").split())
            raise InputError(f"{self.url} refuses ({error.code} {error.reason}): {why}") from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise InputError(f"{self.url} can't be used ({reason}): does the server run?") from None
        return bytes(answer)
