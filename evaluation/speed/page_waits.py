"""The time that people wait for the page.

    python -m evaluation.speed.page_waits --people 8 [--rounds 2]
    python -m evaluation.speed.page_waits --wav five_minutes.wav [--hour hour.wav] [--rounds 5]
    python -m evaluation.speed.page_waits --wav minute.wav --learning [--rounds 8]

Starts the page on this machine. --people: each edits a recording of their own at the same time, by
/edit; every result is compared with the recording, sample for sample outside the edit. --wav: the
page is asked what its script would ask: the first edit of a long recording, an edit while one
works, and a sentence beside somebody else's hour. Without --hour the recording is repeated to an
hour. With --until 0.5 also the memory of all of the page's processes at each tenth of the hour that
is listened to, up to its half, where the system tells (Linux). With --learning only what an edit
takes while the recording's voice is learnt, and in it (Linux).
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
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

from a3t.example import RECORDING, TEXT
from evaluation.harness.programs import program_parser

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

    @contextmanager
    def watching(self) -> Iterator[None]:
        """While its page is open."""
        left = threading.Event()

        def watch() -> None:
            with self.client.stream("GET", f"{self.at}/events") as answer:
                for _ in answer.iter_lines():
                    if left.is_set():
                        return

        threading.Thread(target=watch, daemon=True).start()
        try:
            yield
        finally:
            left.set()

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


def main() -> None:
    parser = program_parser("speed.page_waits", __doc__, people=0, rounds=5)
    parser.add_argument("--wav", type=Path, help="some minutes of speech")
    parser.add_argument("--hour", type=Path, help="an hour of speech")
    parser.add_argument(
        "--until", type=float, default=0.0, help="the share of the hour to watch the memory for"
    )
    parser.add_argument("--learning", action="store_true")
    parser.add_argument("--port", type=int, default=7941)
    options = parser.parse_args()
    if bool(options.people) == bool(options.wav):
        parser.error("give --people or --wav")
    url = f"http://127.0.0.1:{options.port}"
    with tempfile.TemporaryDirectory() as scratch:
        hour = options.hour
        if hour is None and options.wav and not options.learning:
            hour = repeated(options.wav, Path(scratch) / "hour.wav")
        command = [sys.executable, "-m", "app", "--port", str(options.port)]
        command += ["--projects", f"{scratch}/projects", "--max-megabytes", "1000"]
        begun = time.perf_counter()
        page = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            served(url, page)
            found: dict[str, Any] = {"the page answers after, s": time.perf_counter() - begun}
            if options.people:
                found |= at_once(url, options.people, options.rounds, Path(scratch))
            elif options.learning:
                found |= while_learning(url, options.wav, options.rounds, page.pid)
            else:
                found |= time_page(url, options.wav, hour, options.rounds, page.pid, options.until)
            print(json.dumps(found, indent=1))
        finally:
            page.terminate()
            page.wait()
    if found.get("wrong"):
        sys.exit(1)


def served(url: str, page: subprocess.Popen[bytes]) -> None:
    """Waits until the page is there; SystemExit if it has ended."""
    while page.poll() is None:
        try:
            httpx.get(url)
            return
        except httpx.TransportError:
            time.sleep(0.1)
    sys.exit("The page failed to start.")


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


def while_learning(url: str, wav: Path, rounds: int, server: int) -> dict[str, Any]:
    """What edits of the recording take beside the process that learns its voice, and in turn with
    that process stopped, so that whatever else the machine does weighs on both alike."""
    visitor = Visitor(url, wav)
    visitor.until(lambda state: state["listening"]["done"])
    words = [f"{first} {second}" for first in NUMBERS for second in NUMBERS]
    visitor.edit(words.pop())
    memory = [memory_of(server)]
    taken: dict[str, list[float]] = {"stopped": [], "running": []}
    with visitor.watching():
        begun = time.perf_counter()
        visitor.until(lambda state: state["voice"]["share"])
        (learner,) = (pid for pid in family_of(server) if niceness(pid) == 19)
        for _ in range(rounds):
            os.kill(learner, signal.SIGSTOP)
            taken["stopped"].append(visitor.edit(words.pop()))
            os.kill(learner, signal.SIGCONT)
            time.sleep(1.0)
            taken["running"].append(visitor.edit(words.pop()))
            time.sleep(1.0)
        if visitor.client.get(visitor.at).json()["voice"]["share"] is None:
            raise SystemExit("The voice was learnt before all edits were made: fewer --rounds.")
        memory.append(memory_of(server))
        state = visitor.until(lambda state: state["voice"]["name"])
        learnt = time.perf_counter() - begun
        after = [visitor.edit(words.pop()) for _ in range(rounds)]
    medians = {name: statistics.median(values) for name, values in taken.items()}
    return {
        "load": os.getloadavg()[0],
        "an edit while the voice is learnt, s": times(taken["running"]),
        "with that process stopped, s": times(taken["stopped"]),
        "ratio of the medians": round(medians["running"] / medians["stopped"], 2),
        "an edit in the voice, s": times(after),
        "learnt after, edits included, s": round(learnt, 1),
        "memory before, while, MiB": memory,
        "voice": state["voice"]["name"],
    }


def niceness(process: int) -> int | None:
    """A process's; None if it has ended."""
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[16])
    except OSError:
        return None


NUMBERS = "one two three four five six seven".split()


def time_page(
    url: str, wav: Path, hour: Path, rounds: int, server: int, until: float
) -> dict[str, Any]:
    sentence = RECORDING
    warm = Visitor(url, sentence, TEXT)
    first = warm.edit("never")
    typed = [warm.edit(word) for word in "seldom often rarely sometimes usually".split()[:rounds]]
    long = Visitor(url, wav)
    long.edit("never")
    until_first = time.perf_counter() - long.begun
    long.client.post(f"{long.at}/delete", json={})  # nobody else is listened to
    alone = [in_all(url, sentence) for _ in range(rounds)]
    busy = Visitor(url, hour)
    busy.edit("never")
    until_hours_first = time.perf_counter() - busy.begun
    beside = [in_all(url, sentence) for _ in range(rounds)]
    share = busy.client.get(busy.at).json()["listening"]["share"]
    memory = {}
    for tenth in range(1, 11):
        if 10 * until >= tenth:
            busy.until(lambda state: state["listening"]["share"] >= tenth / 10)  # noqa: B023
            memory[f"{tenth}0 %"] = memory_of(server)
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
        "of the hour listened to meanwhile": round(share, 3),
        "memory at so much of it, MiB": memory,
    }


def memory_of(process: int) -> int | None:
    """MiB of a process and all that it started, what they share counted once; None where the
    system doesn't tell."""
    total = 0
    for member in family_of(process):
        try:
            lines = Path(f"/proc/{member}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total // 1024 or None


def family_of(process: int) -> set[int]:
    """A process and all that it started, as far as the system tells."""
    family, parents = {process}, {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has just ended
            continue
    while more := {child for child, parent in parents.items() if parent in family} - family:
        family |= more
    return family


def in_all(url: str, sentence: Path) -> float:
    visitor = Visitor(url, sentence, TEXT)
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


if __name__ == "__main__":
    main()
