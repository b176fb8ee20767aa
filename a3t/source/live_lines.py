"""Words as they are said, in lines: on a terminal with those that may still change, greyer."""

from __future__ import annotations

from typing import TextIO

from alignment.recognition.live import LiveWords

WIDTH = 80  # where there is no terminal
CLEAR, DIM, PLAIN = "\r\033[K", "\033[2m", "\033[m"


class LiveLines:
    """Writes words to `out`; `width`: a terminal's columns, or 0 for a file or a pipe, which gets
    whole lines of final words. A line ends with a pause, or where it is full."""

    def __init__(self, out: TextIO, width: int) -> None:
        self._out, self._terminal, self._width = out, width > 0, (width or WIDTH + 1) - 1
        self._line = ""

    def show(self, words: LiveWords) -> None:
        """Add final words, and show the provisional ones after them."""
        text = CLEAR if self._terminal else ""
        for word in words.final:
            if self._line and len(self._line) + 1 + len(word.text) > self._width:
                text += self._ended()
            self._line = f"{self._line} {word.text}".strip()
        if words.pause and self._line:
            text += self._ended()
        if self._terminal:
            room = self._width - len(self._line) - 1
            rest = " ".join(word.text for word in words.provisional)
            text += f"{self._line} {DIM}{rest[-room:] if room > 0 else ''}{PLAIN}"
        self._out.write(text)
        self._out.flush()

    def _ended(self) -> str:
        ended, self._line = f"{self._line}\n", ""
        return ended
