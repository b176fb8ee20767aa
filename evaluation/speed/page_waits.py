"""The time that people wait for the page.

Each edits a recording of their own at the same time, by /edit; every result is compared with the
recording, sample for sample outside the edit.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import soundfile
import soxr

from a3t.errors import InputError
from a3t.example import RECORDING, TEXT
from evaluation.harness.programs import add_counts

PATIENCE = 1800.0  # seconds


@contextmanager
def page_at(port: int, folder: Path) -> Iterator[tuple[str, float]]:
    """The page's address, and the seconds until it answered; InputError if it doesn't start."""
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "app", "--port", str(port)]
    command += ["--projects", f"{folder}/projects", "--max-megabytes", "1000"]
    begun = time.perf_counter()
    page = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        served(url, page)
        yield url, time.perf_counter() - begun
    finally:
        page.terminate()
        page.wait()


def measure_people(port: int, people: int, rounds: int) -> dict[str, Any]:
    """The waits of people who edit at the same time, and of the first of them alone before."""
    with tempfile.TemporaryDirectory() as folder, page_at(port, Path(folder)) as (url, start):
        return {"the page answers after, s": start} | at_once(url, people, rounds, Path(folder))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_counts(parser, people=8, rounds=1, port=7941)


def run(options: argparse.Namespace) -> None:
    """Print the waits as JSON; raises InputError, also where a result is wrong."""
    found = measure_people(options.port, options.people, options.rounds)
    print(json.dumps(found, indent=1))
    if found["wrong"]:
        raise InputError(f"{found['wrong']} results are wrong.")


def served(url: str, page: subprocess.Popen[bytes]) -> None:
    """Waits until the page is there; InputError if it has ended."""
    while page.poll() is None:
        try:
            httpx.get(url)
            return
        except httpx.TransportError:
            time.sleep(0.1)
    raise InputError("The page failed to start.")


def at_once(url: str, people: int, rounds: int, folder: Path) -> dict[str, Any]:
    """The waits of people who edit at the same time, and of the first of them alone before."""
    recordings = [own_recording(folder, number) for number in range(people)]
    alone = list(person(url, recordings[0], 2))
    begun = time.perf_counter()
    with ThreadPoolExecutor(people) as pool:
        waits = [*pool.map(lambda wav: list(person(url, wav, rounds)), recordings)]
    own = [wait for each in waits for wait in each if wait is not None]
    return {
        "one person's first edit, the second, s": alone,
        "edits": people * rounds,
        "wrong": people * rounds - len(own),
        "all of them, s": round(time.perf_counter() - begun, 1),
        "a person's wait, s": times(own),
    }


def own_recording(folder: Path, number: int) -> Path:
    """The example recording, 1 % faster for each person, so that no two are the same."""
    samples, rate = soundfile.read(RECORDING)
    path = folder / f"person-{number}.wav"
    soundfile.write(path, soxr.resample(samples, rate * (1 + 0.01 * number), rate), rate, "PCM_16")
    return path


def person(url: str, wav: Path, rounds: int) -> Iterator[float | None]:
    """The seconds of each edit; None for one whose result is not this person's recording."""
    from gradio_client import Client, handle_file

    before = soundfile.read(wav, dtype="int16")[0]
    client = Client(url, verbose=False, analytics_enabled=False, httpx_kwargs={"timeout": PATIENCE})
    for _ in range(rounds):
        begun = time.perf_counter()
        new_text = TEXT.replace("always", "never")
        audio, record, _ = client.predict(handle_file(wav), TEXT, new_text, api_name="/edit")
        waited = time.perf_counter() - begun
        (edit,) = json.loads(Path(record).read_text(encoding="utf-8"))["edits"]
        after = soundfile.read(audio, dtype="int16")[0]
        kept = np.delete(before, np.s_[slice(*edit["source"])])
        same = np.array_equal(kept, np.delete(after, np.s_[slice(*edit["output"])]))
        yield round(waited, 2) if same else None


def times(values: list[float]) -> dict[str, float]:
    return {"median": round(statistics.median(values), 2), "longest": round(max(values), 2)}
