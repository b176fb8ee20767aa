"""Several people using the page at once: correctness, waiting times and memory.

    python -m evaluation.speed.app_load [--people 8] [--rounds 2]

Starts the page on this machine; then each person (a thread with its own client) edits a recording,
which differs from everybody else's in pitch and length, `--rounds` times. Every result is compared
with the person's own recording, sample for sample outside the edit.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import soundfile
import soxr

from a3t.example import RECORDING, TEXT
from evaluation.harness.programs import program_parser

NEW_TEXT = TEXT.replace("always", "never")


def main() -> None:
    parser = program_parser("speed.app_load", __doc__, people=8, rounds=2)
    parser.add_argument("--port", type=int, default=7931)
    options = parser.parse_args()
    url = f"http://127.0.0.1:{options.port}"
    command = [sys.executable, "-m", "app", "--port", str(options.port)]
    begun = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, stdout=subprocess.DEVNULL) as server,
    ):
        try:
            wait_for(url, server)
            took, used = time.monotonic() - begun, cpu_seconds(server.pid)
            print(f"the page answers after {took:.1f} s ({used:.1f} s CPU)")
            peak = Peak(server.pid)
            waits: list[float] = []
            faults: list[str] = []
            alone: list[float] = []
            recordings = [own_recording(Path(folder), k) for k in range(options.people)]
            person(url, recordings[0], 2, alone, faults)
            if len(alone) == 2:
                print(f"alone, an edit takes {alone[0]:.1f} s at first, then {alone[1]:.1f} s")
            used = cpu_seconds(server.pid)
            people = [
                threading.Thread(target=person, args=(url, wav, options.rounds, waits, faults))
                for wav in recordings
            ]
            begun = time.monotonic()
            for thread in people:
                thread.start()
            for thread in people:
                thread.join()
            took = time.monotonic() - begun
            expected = options.people * options.rounds
            print(f"{len(waits)} of {expected} edits in {took:.1f} s, wrong: {len(faults)}")
            if waits:
                print(
                    f"a person waits {np.median(waits):.1f} s (median), {max(waits):.1f} s (most)"
                )
            used = (cpu_seconds(server.pid) - used) / max(len(waits), 1)
            print(f"server: {peak.stop() / 1e6:.0f} MB at most, {used:.1f} s CPU an edit")
        finally:
            server.terminate()
            server.wait(30)
    for fault in faults:
        print(fault)
    sys.exit(bool(faults) or len(waits) != expected)


def own_recording(folder: Path, k: int) -> Path:
    """The example recording, 1 % faster for each person, so that no two are the same."""
    samples, rate = soundfile.read(RECORDING)
    path = folder / f"person-{k}.wav"
    soundfile.write(path, soxr.resample(samples, rate * (1 + 0.01 * k), rate), rate, "PCM_16")
    return path


def person(url: str, wav: Path, rounds: int, waits: list[float], faults: list[str]) -> None:
    from gradio_client import Client, handle_file

    before = soundfile.read(wav, dtype="int16")[0]
    try:
        client = Client(
            url, verbose=False, analytics_enabled=False, httpx_kwargs={"timeout": 300.0}
        )
        for _ in range(rounds):
            begun = time.monotonic()
            audio, record, _ = client.predict(
                handle_file(wav), TEXT, NEW_TEXT, 0, 1.0, api_name="/edit"
            )
            waits.append(time.monotonic() - begun)
            (edit,) = json.loads(Path(record).read_text(encoding="utf-8"))["edits"]
            after = soundfile.read(audio, dtype="int16")[0]
            kept = np.delete(before, np.s_[slice(*edit["source"])])
            if not np.array_equal(kept, np.delete(after, np.s_[slice(*edit["output"])])):
                faults.append(f"{wav.name}: the result is not this person's recording")
    except Exception as error:
        faults.append(f"{wav.name}: {error}")


class Peak:
    """The peak resident memory of the server and its worker together, in bytes."""

    def __init__(self, pid: int) -> None:
        self.most = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, args=(pid,), daemon=True)
        self._thread.start()

    def _watch(self, pid: int) -> None:
        page = os.sysconf("SC_PAGE_SIZE")
        while not self._ended.wait(0.1):
            held = 0
            for process in family(pid):
                with suppress(OSError):
                    held += int(Path(f"/proc/{process}/statm").read_text().split()[1]) * page
            self.most = max(self.most, held)

    def stop(self) -> int:
        self._ended.set()
        self._thread.join()
        return self.most


def family(pid: int) -> list[int]:
    """The process and its children."""
    children = Path(f"/proc/{pid}/task").glob("*/children")
    return [pid, *(int(child) for file in children for child in file.read_text().split())]


def cpu_seconds(pid: int) -> float:
    """Processor time of the process and its children."""
    ticks = 0
    for process in family(pid):
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def wait_for(url: str, server: subprocess.Popen[bytes], patience: float = 180.0) -> None:
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if server.poll() is not None:
            sys.exit("the page failed to start")
        try:
            with urlopen(url, timeout=30):
                return
        except OSError:
            time.sleep(0.2)
    sys.exit(f"the page didn't respond within {patience:.0f} s")


if __name__ == "__main__":
    main()
