"""The cost of an edit of a 5 s recording, and of starting: medians of several runs.

A new process: `python -m a3t.edit` in a process of its own, start to finish, on two threads. A
running one: it has loaded the editor and made one edit, and gets a recording that it hasn't aligned
yet each time; "again" is a second edit of such a recording. Starting, on one thread: importing
torch alone, importing the editor, loading it, an edit of a recording that was aligned before, and a
voice's speech up to its first sound. Absolute times depend on the machine; compare the ratios,
which all come from one run.
"""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import numpy as np
import soundfile

from a3t.audio.output.records import record_path
from a3t.example import RECORDING, TEXT
from evaluation.harness.declared_tables import Row, Table
from evaluation.harness.measurement import Measurement, Setting
from evaluation.harness.processes import COST, cost_of, mebibytes
from training.programs import counts

NEW_TEXT = TEXT.replace("always", "never")
SECONDS = 5.0
THREADS = 2

SPOKEN = "The ferry left an hour late that morning, and nobody seemed to mind. Who would?"
HEADER = 44  # bytes of a WAV before its first sample
NEW, RUNNING = "an edit in a new process", "an edit in a running process"
EDIT, SOUND = "an edit, aligned before", "first sound of a voice"
STARTS = {
    "importing torch": ["-c", "import torch"],
    "importing the editor": ["-c", "import a3t.editor"],
    "loading it": ["-c", "from a3t.editor import Editor; Editor.load()"],
}
WARM = "from evaluation.speed.edit_speed import print_warm; print_warm(*__import__('sys').argv[1:])"
# A voice that changes nothing takes as long as any other.
MAKE_VOICE = """
import copy, sys
from a3t.editor import Editor
from a3t.model.saved_voices import add_low_rank, take_low_rank
from a3t.model.saved_voices import save_voice
editor = Editor.load()
prompt = editor.plan_speech(sys.argv[1], "Hello.", prompt_text=sys.argv[2]).prompt.to_tensors()
network = copy.deepcopy(editor.model)
add_low_rank(network, 8)
model = {"name": editor.name, "sha256": editor.sha256}
save_voice("benchmark", model, {}, take_low_rank(network), prompt)
"""


def make_recording(folder: Path, number: int = 0) -> Path:
    """Write the example sentence, its final silence extended to 5 s.

    The last sample is ``number``, so that the editor's cache treats each recording as a new one.
    """
    samples, rate = soundfile.read(RECORDING, dtype="int16")
    missing = round(SECONDS * rate) - len(samples)
    tail = samples[-rate // 4 :]
    silence = np.resize(np.concatenate([tail[::-1], tail]), missing)  # mirrored: no step
    silence[-1] = number
    path = folder / f"recording{number}.wav"
    soundfile.write(path, np.concatenate([samples, silence]), rate)
    return path


def edit_command(recording: Path, out: Path) -> list[str]:
    """Return Python's arguments for one edit from the command line, over what was made before."""
    record_path(out).unlink(missing_ok=True)  # else it is a next version
    command = ["-m", "a3t.edit", "--wav", str(recording), "--text", TEXT, "--new-text", NEW_TEXT]
    return [*command, "--out", str(out)]


def print_warm(folder: str, runs: str) -> None:
    """Load once, edit ``runs`` + 1 recordings, and print what it cost as JSON.

    The first recording doesn't count. Printed are the seconds of the first edits and of the second
    ones, and the memory.
    """
    from a3t.editor import Editor

    editor, out = Editor.load(), Path(folder) / "warm.wav"
    totals, again = [], []
    for run in range(int(runs) + 1):
        recording = make_recording(Path(folder), run + 1)
        begun = time.perf_counter()
        editor.edit(recording, new_text=NEW_TEXT, text=TEXT).save(out)
        saved = time.perf_counter()
        editor.edit(recording, new_text=NEW_TEXT, text=TEXT).save(out)
        if run:
            totals.append(saved - begun)
            again.append(time.perf_counter() - saved)
    memory = mebibytes(resource.getrusage(resource.RUSAGE_SELF))
    print(json.dumps({"total": median(totals), "again": median(again), "mebibytes": memory}))


def measure(what: str, setting: Setting) -> Iterator[Row]:
    """Measure the costs of one of these, after a run that fills the disk's cache, not counted."""
    folder, runs = setting.folder.resolve(), setting.options.runs
    recording = make_recording(folder)
    if what == RUNNING:
        found = json.loads(cost_of(["-c", WARM, str(folder), str(runs)], THREADS).output)
        for name, seconds in ((RUNNING, found["total"]), (f"{RUNNING}, again", found["again"])):
            yield {"what": name, "wall": seconds, "mebibytes": found["mebibytes"]}
        return
    voices = {"A3T_VOICES": str(folder / "voices")}
    if what == SOUND:
        cost_of(["-c", MAKE_VOICE, str(recording), TEXT], 1, None, **voices)
    for run in range(runs + 1):
        if what in (NEW, EDIT):
            command = edit_command(recording, folder / "edited.wav")
        elif what == SOUND:
            speak = ["-m", "a3t.tts", "--voice", "benchmark", "--text", SPOKEN, "--out", "-"]
            command = speak
        else:
            command = STARTS[what]
        until = HEADER + 2 if what == SOUND else None
        cost = cost_of(command, THREADS if what == NEW else 1, until, **voices)
        if run:
            yield {"what": what, **cost.figures}


MEASUREMENT = Measurement(
    lambda setting: [NEW, RUNNING, *STARTS, EDIT, SOUND],
    measure,
    [Table(COST, ("what",))],
    counts(runs=5),
    unit="program",
)
