"""Thousands of hostile cases, counted: python -m tests.fuzz.campaign --cases 2400

Files are given to every parser, options and neighbouring files to `a3t edit` in a folder with
somebody's work in it, and requests to a page that is started for it, a flood of 200 at the end.
What must not be: a traceback, more than 10 s of processor time, or anything lost.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import httpx

import a3t.editor
from a3t import edit
from tests.conftest import ARCTIC
from tests.fuzz.corpus import VALUES, inputs, mutated
from tests.fuzz.test_parsers import LONGEST, READERS

FLOOD = 200
FAULTS = ("traceback", "too slow", "lost", "no answer")


@dataclass
class Count:
    """What came of the cases of one kind."""

    outcomes: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    faults: list[str] = field(default_factory=list)

    def add(self, outcome: str, about: str = "", seconds: float = 0.0) -> None:
        if seconds > LONGEST:
            outcome = "too slow"
        self.slowest = max(self.slowest, seconds)
        self.outcomes[outcome] += 1
        if outcome in FAULTS:
            self.faults.append(f"{outcome}: {about}")

    def line(self, name: str) -> str:
        what = ", ".join(f"{number} {outcome}" for outcome, number in self.outcomes.most_common())
        return f"{name:10} {self.outcomes.total():5} cases: {what}; slowest {self.slowest:.1f} s"


def files(seed: int, cases: int, folder: Path) -> Count:
    """Every parser, on files made from a seed."""
    count = Count()
    for kind, name, data in inputs(seed, cases):
        path = folder / name
        path.write_bytes(data)
        begun = time.process_time()
        try:
            READERS[kind](path)
            outcome = "read or refused"
        except Exception:
            outcome = "traceback"
        about = f"{kind} {name} of seed {seed}: {traceback.format_exc(limit=-1)}"
        count.add(outcome, about, time.process_time() - begun)
        for left in folder.iterdir():
            left.unlink()
    return count


# ---- commands ------------------------------------------------------------------------------------


def commands(seed: int, cases: int, folder: Path, talk: Path) -> Count:
    """`a3t edit` with hostile files beside the recording, and hostile values of its options."""
    count, draw = Count(), random.Random(seed)
    for name in ("load_networks", "load_vocoder"):
        setattr(a3t.editor, name, cache(getattr(a3t.editor, name)))
    recording = talk.read_bytes()
    sources = (
        case for case in inputs(seed, 100 * cases) if case[0] != "sound" or draw.random() < 0.3
    )
    for kind, name, data in [case for case, _ in zip(sources, range(cases), strict=False)]:
        work = folder / f"case {name}"
        work.mkdir()
        wav = work / "talk.wav"
        wav.write_bytes(data if kind == "sound" else recording)
        given = ["--wav", str(wav), "--yes", "--plan"]
        text, new = ARCTIC, ARCTIC.replace("always", "never")
        match kind:
            case "sound":
                given += ["--text", text, "--new-text", new]
            case "record":
                (work / "talk.edited.wav").write_bytes(recording)
                (work / "talk.edited.edit.json").write_bytes(data)
                given += ["--text", text, "--new-text", new]
            case "alignment":
                (work / name).write_bytes(data)
                given += ["--alignment", str(work / name), "--new-text", "you"]
            case "plan":
                (work / name).write_bytes(data)
                given += ["--plan-file", str(work / name)]
            case "list":
                (work / name).write_bytes(data)
                given = ["--manifest", str(work / name), "--out-dir", str(work / "out")]
            case _:
                beside = wav.with_suffix(Path(name).suffix)
                beside.write_bytes(data)
                option = draw.choice(["sidecar", "--new-text", "--dict"])
                if option == "sidecar":
                    given += ["--new-text", new]
                else:
                    at = "@" if option == "--new-text" else ""
                    given += [option, f"{at}{beside}", "--text", text]
                    given += [] if at else ["--new-text", new]
        if draw.random() < 0.2:
            name = draw.choice(["--seed", "--speed", "--margin", "--duration", "--candidates"])
            given.append(f"{name}={draw.choice(['nan', '-1', '1e999', '9' * 400, '0', 'x'])}")
        before = _contents(work)
        begun = time.process_time()
        outcome, said = _run(given)
        seconds = time.process_time() - begun
        if any(_contents(work).get(path) != content for path, content in before.items()):
            outcome = "lost"
        count.add(outcome, f"{kind} {work.name}, {given}: {said}", seconds)
    return count


def _contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _run(given: list[str]) -> tuple[str, str]:
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            code: Any = edit.main(given)
        except SystemExit as stopped:
            code = stopped.code
        except BaseException:
            return "traceback", traceback.format_exc(limit=-3)
    sentences = [line for line in said.getvalue().splitlines() if line.startswith("a3t: ")]
    if "Traceback" in said.getvalue() or (code == 1 and len(sentences) != 1):
        return "traceback", said.getvalue()
    return {0: "done", 1: "refused in a sentence", 2: "wrong usage"}[code], said.getvalue()


# ---- requests ------------------------------------------------------------------------------------

ENDPOINTS = {
    "edit": ["recording", "text", "new_text", "seed", "speed"],
    "plan": ["recording", "new_text", "text", "speed"],
    "tts": ["recording", "text", "prompt_text", "seed", "speed"],
    "align": ["recording", "text"],
    "transcribe": ["recording", "text"],
}
PATHS = [
    "call/edit", "call/nothing", "queue/join", "run/plan", "api/plan", "upload", "cancel", "reset",
    "file=/etc/passwd", "file=../../x", "stream/x/y/z", "component_server", "call/edit/x", "info",
    "queue/data?session_hash=x", "heartbeat/../x", "deep_link", "vibe-code", "%00", "\u202e",
]  # fmt: skip


@contextlib.contextmanager
def page(folder: Path) -> Iterator[tuple[str, Path]]:
    """A page in a process of its own: its address, and its log."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = folder / "page.log"
    with log.open("w") as output:
        command = [sys.executable, "-m", "app", "--port", str(port)]
        process = subprocess.Popen(command, stdout=output, stderr=output)
        try:
            while "The page is at" not in log.read_text():
                if process.poll() is not None:
                    raise RuntimeError(log.read_text())
                time.sleep(0.2)
            yield f"http://127.0.0.1:{port}", log
        finally:
            process.terminate()
            process.wait()


def requests(seed: int, cases: int, url: str, log: Path, talk: Path) -> Count:
    """Fields, bodies, paths and uploads that no page would send."""
    count, draw = Count(), random.Random(seed)
    sources = inputs(seed, 10 * cases)
    with httpx.Client(base_url=f"{url}/gradio_api", timeout=600) as client:
        good = _uploaded(client, talk.name, talk.read_bytes())
        for number in range(cases):
            try:
                status, answer = _asked(client, draw, next(sources), good)
            except httpx.HTTPError as error:
                if not isinstance(error, httpx.LocalProtocolError):
                    count.add("no answer", f"request {number}: {error!r}")
                continue
            if "Traceback" in answer or '"error": null' in answer or '"error":null' in answer:
                count.add("traceback", f"request {number}: {answer[:300]}")
            elif "event: complete" in answer:
                count.add("done")
            else:
                count.add("refused in a sentence" if status < 600 else "no answer")
        count.add("done" if client.get(url).status_code == 200 else "no answer", "the page is gone")
    if "Traceback" in (written := log.read_text()):
        count.add("traceback", f"the log: {written[written.index('Traceback') :][:2000]}")
    return count


def _asked(
    client: httpx.Client, draw: random.Random, source: tuple[str, str, bytes], good: str
) -> tuple[int, str]:
    kind, name, data = source
    if draw.random() < 0.3:
        body = mutated(json.dumps({"data": [None, "a", "b", 0, 1]}).encode(), draw)
        method = draw.choice(["POST", "POST", "GET", "PUT", "DELETE", "OPTIONS"])
        headers = {
            "content-type": draw.choice(["application/json", "text/plain", "multipart/x", "é"])
        }
        headers = {key: value.encode("latin-1").decode("latin-1") for key, value in headers.items()}
        if draw.random() < 0.2:
            headers["origin"] = draw.choice(["null", "https://evil.example", "http://[", ""])
        path = draw.choice(PATHS)
        if path.startswith("queue/data"):
            return 400, "it would wait for events"
        answer = client.request(method, f"/{path}", content=body, headers=_ascii(headers))
        return answer.status_code, answer.text
    endpoint = draw.choice(sorted(ENDPOINTS))
    recording = good if draw.random() < 0.5 or kind != "sound" else _uploaded(client, name, data)
    usual = {"recording": recording, "text": ARCTIC, "seed": 0, "speed": 1.0}
    usual |= {"new_text": "x", "prompt_text": ARCTIC}
    values: list[Any] = []
    for item in ENDPOINTS[endpoint]:
        value: Any = usual[item]
        if item == "recording":
            value = {"path": recording, "meta": {"_type": "gradio.FileData"}} if recording else None
        if draw.random() < 0.4:
            value = draw.choice([*VALUES, data.decode("utf-8", "replace")])
        values.append(value)
    try:
        body = json.dumps({"data": values}).encode()
    except UnicodeEncodeError:
        return 400, "not sent"
    headers = {"content-type": "application/json"}
    asked = client.post(f"/call/{endpoint}", content=body, headers=headers)
    if asked.status_code != 200:
        return asked.status_code, asked.text
    event = asked.json()["event_id"]
    return 200, client.get(f"/call/{endpoint}/{event}").text


def _ascii(headers: dict[str, str]) -> dict[str, str]:
    return {key: value.encode("ascii", "ignore").decode() for key, value in headers.items()}


def _uploaded(client: httpx.Client, name: str, data: bytes) -> str:
    answer = client.post("/upload", files={"files": (name, data)})
    return str(answer.json()[0]) if answer.status_code == 200 else ""


def flood(url: str, talk: Path, number: int = FLOOD) -> Count:
    """As many requests at once; each is answered, with a plan or with a sentence."""
    count, lock = Count(), threading.Lock()
    with httpx.Client(base_url=f"{url}/gradio_api", timeout=600) as client:
        good = _uploaded(client, talk.name, talk.read_bytes())
    body = {
        "data": [
            {"path": good, "meta": {"_type": "gradio.FileData"}},
            ARCTIC.replace("always", "never"),
            ARCTIC,
            1.0,
        ]
    }

    def ask() -> None:
        outcome, about = "no answer", ""
        try:
            with httpx.Client(base_url=f"{url}/gradio_api", timeout=1200) as client:
                asked = client.post("/call/plan", json=body)
                about = asked.text
                if asked.status_code == 200:
                    about = client.get(f"/call/plan/{asked.json()['event_id']}").text
                    outcome = "planned" if "event: complete" in about else "refused in a sentence"
                elif asked.status_code == 503 and "Too many people" in about:
                    outcome = "told to try again"
        except httpx.HTTPError as error:
            about = repr(error)
        with lock:
            count.add("no answer" if '"error": null' in about else outcome, about[:200])

    threads = [threading.Thread(target=ask) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    count.add("planned" if httpx.get(url, timeout=600).status_code == 200 else "no answer")
    return count


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.campaign", description=__doc__)
    parser.add_argument("--cases", type=int, default=2400, help="how many (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    import pysptk.util

    talk = Path(pysptk.util.example_audio_file())
    counts: dict[str, Count] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["A3T_CACHE"] = str(folder / "cache")
        for part in ("files", "commands"):
            (folder / part).mkdir()
        counts["files"] = files(options.seed, options.cases * 2 // 3, folder / "files")
        print(counts["files"].line("files"), flush=True)
        cases = options.cases // 6
        counts["commands"] = commands(options.seed + 1, cases, folder / "commands", talk)
        print(counts["commands"].line("commands"), flush=True)
        with page(folder) as (url, log):
            counts["requests"] = requests(options.seed + 2, cases, url, log, talk)
            print(counts["requests"].line("requests"), flush=True)
            counts["flood"] = flood(url, talk)
            print(counts["flood"].line("flood"), flush=True)
    faults = [fault for count in counts.values() for fault in count.faults]
    print(*faults, sep="\n", file=sys.stderr)
    total = sum(count.outcomes.total() for count in counts.values())
    print(f"{total} cases, {len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
