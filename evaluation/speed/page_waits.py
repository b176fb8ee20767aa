"""The time that people wait for the page.

--people: each edits a recording of their own at the same time, by /edit; every result is compared
with the recording, sample for sample outside the edit. --wav: the page is asked what its script
would ask: the first edit of a long recording, an edit while one works, and a sentence beside
somebody else's hour. Without --hour the recording is repeated to an hour.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
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


class Visitor:
    """Somebody with a browser, who opens a recording."""

    def __init__(self, url: str, recording: Path, text: str = "") -> None:
        self.client = httpx.Client(base_url=url, timeout=PATIENCE)
        self.begun = time.perf_counter()
        with recording.open("rb") as file:
            answer = self.client.post("/gradio_api/upload", files={"files": (recording.name, file)})
        (path,) = answer.raise_for_status().json()
        made = self.client.post("/studio/projects", json={"upload": path, "text": text})
        self.at = f"/studio/projects/{made.raise_for_status().json()['id']}"

    def until(self, reached: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        while True:
            state: dict[str, Any] = self.client.get(self.at).json()
            if reached(state):
                return state
            time.sleep(0.02)

    def edit(self, word: str) -> float:
        """Replaces the third word that is known and waits for its sound; the seconds it took."""
        state = self.until(lambda state: len(state["tokens"]) > 4)
        started = time.perf_counter()
        tokens = state["tokens"]
        change = {"after": tokens[1][0], "tokens": [tokens[2][0]], "text": word}
        body = {"page": word, "steps": [{"n": 1, "gone": state["edits"], "come": [change]}]}
        self.client.post(f"{self.at}/script", json=body).raise_for_status()
        made = self.until(lambda state: any(state["takes"].values()) or state["failures"])
        assert not made["failures"], made["failures"]
        return time.perf_counter() - started


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
    add_counts(parser, people=0, rounds=5, port=7941)
    parser.add_argument("--wav", type=Path, help="some minutes of speech")
    parser.add_argument("--hour", type=Path, help="an hour of speech")


def run(options: argparse.Namespace) -> None:
    """Print the waits as JSON; raises InputError, also where a result is wrong."""
    if bool(options.people) == bool(options.wav):
        raise InputError("Give --people or --wav.")
    if options.people:
        found = measure_people(options.port, options.people, options.rounds)
    else:
        with tempfile.TemporaryDirectory() as scratch:
            hour = options.hour or repeated(options.wav, Path(scratch) / "hour.wav")
            with page_at(options.port, Path(scratch)) as (url, _):
                found = time_page(url, options.wav, hour, options.rounds)
    print(json.dumps(found, indent=1))
    if found.get("wrong"):
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


def time_page(url: str, wav: Path, hour: Path, rounds: int) -> dict[str, Any]:
    """The waits of somebody with a long recording, and of others beside them."""
    warm = Visitor(url, RECORDING, TEXT)
    first = warm.edit("never")
    typed = [warm.edit(word) for word in "seldom often rarely sometimes usually".split()[:rounds]]
    long = Visitor(url, wav)
    long.edit("never")
    until_first = time.perf_counter() - long.begun
    long.client.post(f"{long.at}/delete", json={})  # nobody else is listened to
    alone = [in_all(url) for _ in range(rounds)]
    busy = Visitor(url, hour)
    busy.edit("never")
    until_hours_first = time.perf_counter() - busy.begun
    beside = [in_all(url) for _ in range(rounds)]
    some, most = (f"{soundfile.info(path).duration:.0f} s" for path in (wav, hour))
    return {
        "load": os.getloadavg()[0],
        "first edit of all, s": round(first, 2),
        "an edit typed until its sound is there, s": times(typed),
        f"upload of {some} until its first edit, s": round(until_first, 2),
        f"upload of {most} until its first edit, s": round(until_hours_first, 2),
        "a sentence from upload to edit, alone, s": times(alone),
        "the same beside the hour, s": times(beside),
        "ratio of the medians": round(statistics.median(beside) / statistics.median(alone), 2),
    }


def in_all(url: str) -> float:
    visitor = Visitor(url, RECORDING, TEXT)
    visitor.edit("never")
    return time.perf_counter() - visitor.begun


def times(values: list[float]) -> dict[str, float]:
    return {"median": round(statistics.median(values), 2), "longest": round(max(values), 2)}


def repeated(wav: Path, path: Path) -> Path:
    """The recording again and again, for an hour."""
    samples, rate = soundfile.read(wav, dtype="int16")
    with soundfile.SoundFile(path, "w", rate, samples.ndim, "PCM_16") as file:
        for _ in range(int(np.ceil(3600 * rate / len(samples)))):
            file.write(samples)
    return path
