"""Requests that no page would send, to a page in a process of its own; and many at once."""

from __future__ import annotations

import contextlib
import json
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.conftest import ARCTIC
from tests.fuzz.corpus import VALUES, inputs, mutated
from tests.fuzz.outcomes import Count

FLOOD = 200

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
        command += ["--projects", str(folder / "projects")]
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
        return _asked_of_the_projects(client, draw, source, good)
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


def _asked_of_the_projects(
    client: httpx.Client, draw: random.Random, source: tuple[str, str, bytes], good: str
) -> tuple[int, str]:
    """The job interface, with a project of its own or of what was made up as a recording."""
    kind, name, data = source
    at = str(client.base_url).replace("/gradio_api/", "/studio")
    recording = _uploaded(client, name, data) if kind in ("sound", "project") else good
    made = client.post(f"{at}/projects", json={"upload": recording, "onto": "both"})
    if made.status_code >= 500:
        return 500, f"Traceback: {name}: {made.text}"
    known = made.json().get("id", "0" * 24) if draw.random() < 0.8 else draw.choice(["..", "x"])
    paths = ["script", "takes", "correct", "times", "export", "cleaning", "delete", "../text", "x"]
    path = draw.choice(paths)
    edit = {"after": -1, "tokens": [draw.choice([0, 1, -1])], "text": draw.choice(VALUES)}
    body = {"revision": 0, "edits": [edit], "key": draw.choice(VALUES), **edit}
    content = mutated(json.dumps(body).encode(), draw)
    answer = client.post(f"{at}/projects/{known}/{path}", content=content)
    state = client.get(f"{at}/projects/{known}")
    client.post(f"{at}/projects/{known}/delete")
    if answer.status_code >= 500 or state.status_code >= 500:
        return 500, f"Traceback: {path}, {content!r}: {answer.text}, {state.text}"
    return answer.status_code, answer.text


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
