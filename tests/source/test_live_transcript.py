"""`a3t transcribe --live`: words from a pipe, or from a microphone, while they are said."""

import io
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import soundfile

from a3t.commands.transcribe import main
from a3t.errors import InputError
from a3t.source.live_transcript import CLEAR, DIM, Backlog, LiveLines, piped
from alignment.recognition.live import LiveWords
from alignment.recognition.network_recogniser import RecognisedWord


def wav(samples: np.ndarray, subtype: str, rate: int = 16_000) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format="WAV", subtype=subtype)
    return file.getvalue()


@pytest.mark.parametrize("subtype", ["PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "ULAW"])
@pytest.mark.parametrize("channels", [1, 3])
def test_a_wav_from_a_pipe_is_what_the_file_is(subtype: str, channels: int) -> None:
    samples = np.random.default_rng(0).uniform(-0.9, 0.9, (5000, channels))
    data = wav(samples, subtype, 22_050)
    sound = piped(io.BytesIO(data), 16_000)
    expected = soundfile.read(io.BytesIO(data), dtype="float32", always_2d=True)[0].mean(axis=1)
    assert sound.sample_rate == 22_050
    assert np.allclose(np.concatenate(list(sound.blocks)), expected, atol=1e-6)


def test_an_endless_wav_and_raw_samples_end_where_the_pipe_does() -> None:
    samples = np.arange(-500, 500, dtype="<i2")
    head = wav(np.zeros(0), "PCM_16")[:40]
    for size in (0, 0xFFFFFFFF):
        sound = piped(io.BytesIO(head + struct.pack("<I", size) + samples.tobytes()), 0)
        assert np.array_equal(np.concatenate(list(sound.blocks)) * 32768, samples)
    raw = piped(io.BytesIO(samples.tobytes() + b"x"), 48_000)
    assert raw.sample_rate == 48_000
    assert np.array_equal(np.concatenate(list(raw.blocks)) * 32768, samples)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "Nothing came"),
        (b"OggS" + bytes(40), "is not a WAV"),
        (b"fLaC" + bytes(40), "is not a WAV"),
        (wav(np.zeros(9), "PCM_16")[:20], "ended in a WAV's head"),
        (b"RIFF\0\0\0\0WAVEfmt \xff\xff\xff\xff", "broken"),
        (b"RIFF\0\0\0\0WAVEdata\0\0\0\0", "broken"),
        (wav(np.zeros(9), "IMA_ADPCM"), "of a kind"),
    ],
)
def test_what_is_no_sound_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(InputError, match=why):
        piped(io.BytesIO(data), 16_000)


def test_sound_is_late_only_if_it_comes_as_it_is_made() -> None:
    now = [0.0]
    made, file = (Backlog(1000, lambda: now[0]) for _ in range(2))
    file.came(9000)
    made.came(1000)
    assert (made.seconds(), file.seconds()) == (1.0, 0.0)
    now[0] = 9.0
    for backlog in (made, file):
        backlog.came(8000)
        backlog.taken(2000)
    assert (made.seconds(), file.seconds()) == (7.0, 0.0)
    data = wav(np.zeros(100_000), "PCM_16")
    sound = piped(io.BytesIO(data), 16_000)
    assert [sound.behind() for _ in sound.blocks] == [0.0] * 4


def words(final: str, provisional: str = "", pause: bool = False) -> LiveWords:
    def each(text: str) -> tuple[RecognisedWord, ...]:
        return tuple(RecognisedWord(word, 0.0, 0.0) for word in text.split())

    return LiveWords(each(final), each(provisional), pause)


def test_off_a_terminal_there_are_lines_of_final_words() -> None:
    out = io.StringIO()
    lines = LiveLines(out, 0)
    lines.show(words("and you", "always"))
    assert out.getvalue() == "and you"  # a line is seen as it grows
    lines.show(words("always", "", pause=True))
    lines.show(words("word " * 30))
    written = out.getvalue().splitlines()
    assert written[0] == "and you always" and all(len(line) <= 80 for line in written)
    lines.show(words("", pause=True))
    assert out.getvalue().split() == ["and", "you", "always", *["word"] * 30]


def test_on_a_terminal_provisional_words_are_greyer_and_written_over() -> None:
    out = io.StringIO()
    lines = LiveLines(out, 20)
    for shown in (
        words("and", "you all"),
        words("you always", "want to see it in this"),
        words(""),
    ):
        lines.show(shown)
        rows = out.getvalue().split(CLEAR)[-1].split("\n")
        assert all(len(row.replace(DIM, "").replace("\033[m", "")) < 20 for row in rows)
    assert f"and {DIM}you all" in out.getvalue()
    lines.show(words("", pause=True))
    assert "and you always\n" in out.getvalue()


def test_a_pipe_becomes_lines_or_one_sentence(
    arctic: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def piped_in(data: bytes) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
        return main(["--live", "-"]), *capsys.readouterr()

    code, out, err = piped_in(arctic.read_bytes())
    assert (code, err) == (0, "") and out.endswith("\n")
    assert out.startswith("and you always want to see it in")
    code, out, err = piped_in(b"OggS" + bytes(100))
    assert code == 1 and "is not a WAV" in err and err.count("\n") == 1 and not out


@pytest.mark.parametrize(
    "arguments", [["--live", "talk.wav"], ["--live", "-", "--out", "talk.txt"], []]
)
def test_what_does_not_go_together_is_wrong_usage(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2


class PortAudioError(Exception):
    """As sounddevice has one."""


def device(samples: np.ndarray, rate: int) -> Any:
    """A module like sounddevice, whose microphone hears the samples and is then pulled out."""

    class InputStream:
        def __init__(
            self,
            samplerate: int,
            channels: int,
            dtype: str,
            callback: Callable[..., None],
            finished_callback: Callable[[], None],
        ) -> None:
            assert (samplerate, channels, dtype) == (rate, 1, "float32")
            self.callback, self.finished = callback, finished_callback
            self.closed = False

        def start(self) -> None:
            for block in np.array_split(samples[:, None], 40):
                self.callback(block, len(block), None, None)
            self.finished()

        def stop(self) -> None: ...

        def close(self) -> None:
            self.closed = True

    def query_devices(kind: str) -> dict[str, float]:
        assert kind == "input"
        if not len(samples):
            raise PortAudioError("Error querying device -1")
        return {"default_samplerate": float(rate)}

    return SimpleNamespace(
        InputStream=InputStream, query_devices=query_devices, PortAudioError=PortAudioError
    )


def test_a_microphone_is_heard(
    arctic: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    samples, rate = soundfile.read(arctic)
    monkeypatch.setitem(sys.modules, "sounddevice", device(samples[: 2 * rate], rate))
    assert main(["--live"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("and you always want")
    assert "Ctrl-C" in told.err


@pytest.mark.parametrize(
    ("module", "why"),
    [
        (None, r"pip install 'a3t\[microphone\]'"),
        (device(np.zeros(0), 16_000), "No microphone can be used"),
    ],
)
def test_without_a_microphone_it_says_why(
    module: Any, why: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", module)
    assert main(["--live"]) == 1
    assert capsys.readouterr().err.count("\n") == 1
