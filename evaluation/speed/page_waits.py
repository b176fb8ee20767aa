"""The time that people wait for the page.

Each edits a recording of their own at the same time, by /edit; every result is compared with the
recording, sample for sample outside the edit.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
import soundfile
import soxr

from a3t.errors import InputError
from a3t.example import RECORDING, TEXT
from evaluation.harness.declared_tables import Column, Row, Table, count, middle, total
from evaluation.harness.measurement import Measurement, Setting
from training.programs import counts

PATIENCE = 1800.0  # seconds


@contextmanager
def page_at(port: int, folder: Path) -> Iterator[tuple[str, float]]:
    """Yield the page's address, and the seconds until it answered; InputError if it fails."""
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "app", "--port", str(port)]
    command += ["--projects", f"{folder}/projects", "--max-megabytes", "1000"]
    begun = time.perf_counter()
    log = folder / "page.log"  # ended with its clients connected, it complains of each
    with open(log, "wb") as file:
        page = subprocess.Popen(command, stdout=file, stderr=file)
    try:
        served(url, page, log)
        yield url, time.perf_counter() - begun
    finally:
        page.terminate()
        page.wait()


def served(url: str, page: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the page is there; raise InputError if it has ended."""
    while page.poll() is None:
        try:
            httpx.get(url)
            return
        except httpx.TransportError:
            time.sleep(0.1)
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    raise InputError(f"The page failed to start: {(lines or ['it said nothing'])[-1]}")


def measure_waits(people: int, setting: Setting) -> Iterator[Row]:
    """Measure the waits of people who edit at the same time, and of one alone before."""
    folder, options = setting.folder, setting.options
    recordings = [own_recording(folder, number) for number in range(people)]
    with page_at(options.port, folder) as (url, start):
        yield {"who": "the page answers", "wait": start, "wrong": 0}
        for name, wait in zip(("first", "second"), person(url, recordings[0], 2), strict=True):
            yield {"who": f"alone, {name} edit", **wait}
        with ThreadPoolExecutor(people) as pool:
            every = pool.map(lambda wav: list(person(url, wav, options.rounds)), recordings)
            for wait in [wait for waits in every for wait in waits]:
                yield {"who": "people at once", **wait}


def own_recording(folder: Path, number: int) -> Path:
    """Write the example recording, 1 % faster for each person, so that no two are the same."""
    samples, rate = soundfile.read(RECORDING)
    path = folder / f"person-{number}.wav"
    soundfile.write(path, soxr.resample(samples, rate * (1 + 0.01 * number), rate), rate, "PCM_16")
    return path


def person(url: str, wav: Path, rounds: int) -> Iterator[Row]:
    """Return the seconds of each edit; wrong: its result is not this person's recording."""
    from gradio_client import Client, handle_file

    before = soundfile.read(wav, dtype="int16")[0]
    client = Client(url, verbose=False, analytics_enabled=False, httpx_kwargs={"timeout": PATIENCE})
    for _ in range(rounds):
        begun = time.perf_counter()
        new_text = TEXT.replace("always", "never")
        # Before, after, a picture and what wasn't made; then the files: sound, edit.json, TextGrid.
        made = client.predict(handle_file(wav), TEXT, new_text, api_name="/edit")
        audio, record = made[4:6]
        waited = time.perf_counter() - begun
        (edit,) = json.loads(Path(record).read_text(encoding="utf-8"))["edits"]
        after = soundfile.read(audio, dtype="int16")[0]
        kept = np.delete(before, np.s_[slice(*edit["source"])])
        same = np.array_equal(kept, np.delete(after, np.s_[slice(*edit["output"])]))
        yield {"wait": waited, "wrong": int(not same)}


MEASUREMENT = Measurement(
    lambda setting: [setting.options.people],
    measure_waits,
    [
        Table(
            (
                count("edits"),
                total("wrong", "wrong"),
                middle("median, s", "wait"),
                Column("longest, s", lambda rows: max(row["wait"] for row in rows), ".2f"),
            ),
            ("who",),
        )
    ],
    counts(people=8, rounds=1, port=7941),
    unit="page",
)
