"""The command lines that both checkouts run."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evaluation.compare_checkouts.inputs import LESS, NEVER, SAYS, SEVERAL, list_of_edits

# Name, perhaps < the command whose files it reads: program and arguments.
LINES = """
list: a3t.edit --manifest list.jsonl --out-dir list --jobs 1
clips: a3t.edit --manifest clips.jsonl --out-dir clips --jobs 1
list-again < list: a3t.edit --manifest list.jsonl --out-dir list --jobs 1
table: a3t.edit --manifest table.tsv --out-dir table --jobs 2
griffin-lim: a3t.edit {talk} {says} {never} --vocoder griffin-lim --out g.wav
version-1: a3t.edit {talk} {says} {never} --json
version-2 < version-1: a3t.edit {edited} {several}
version-3 < version-2: a3t.edit {edited} {number}
versions < version-3: a3t.edit {edited} --history
undo < version-3: a3t.edit {edited} --undo
undo-2 < undo: a3t.edit {edited} --undo
redo < undo-2: a3t.edit {edited} --redo
single: a3t.edit {talk} {says} {several} --out several.edited.wav
replay < single: a3t.edit --replay several.edited.edit.json --out replayed.wav
found < single: a3t.edit --wav found.wav {found}
inspect < found: a3t inspect found.edited.wav
inspected < found: a3t inspect found.edited.wav --json
plan: a3t.edit {talk} {says} {several} --plan
printed-plan: a3t.edit {talk} {says} {several} --plan --json
plan-file < printed-plan: a3t.edit {talk} --plan-file plan.json --out planned.wav
recognised: a3t.edit {talk} {never} --yes --out recognised.wav
usage: a3t.edit {talk} {never} --speed fast
mismatch: a3t.edit {talk} --text "The weather will be sunny on Friday." {never}
speech: a3t.tts {prompt} --text "Bring the papers with you." --out speech.wav --json
speech-fast: a3t.tts {prompt} --text "Good morning." --speed 1.2 --seed 3 --out fast.flac
align-TextGrid: alignment talk.wav {says} --out aligned.TextGrid
align-json: alignment talk.wav {says} --out aligned.json
align-srt: alignment talk.wav {says} --out aligned.srt
align-long: alignment {long} --jobs 1 --out long.ctm
clean: a3t clean {long} --longest 0.3 --out clean.wav
clean-plan: a3t clean {long} --find breath,click,noise --action mute --plan --json
clean-muted: a3t clean {long} --find breath,click,noise --action mute --out muted.wav
readings: a3t say-as --json {read}
convert < align-TextGrid: alignment talk.wav --alignment aligned.TextGrid --out converted.lab
alignment < align-TextGrid: a3t.edit {talk} {aligned} {never} --out by-alignment.wav
"""
READ = "On 4/5 at 10.30 Dr. Smith read 3 lbs of records for $5.20, not Henry VIII's 1,984."
PARTS = {
    "talk": "--wav talk.wav",
    "edited": "--wav talk.edited.wav",
    "long": "long.wav --text @words.txt",
    "aligned": "--alignment aligned.TextGrid",
    "says": f'--text "{SAYS}"',
    "never": f'--new-text "{NEVER}"',
    "number": f'--new-text "{NEVER.replace("degree", "number")}"',
    "several": f'--new-text "{SEVERAL}"',
    "found": f'--text "{SEVERAL}" --new-text "{LESS}"',
    "prompt": f'--prompt-wav talk.wav --prompt-text "{SAYS}"',
    "read": f'"{READ}"',
}


@dataclass(frozen=True)
class Command:
    """A command line, run in the working folder of a checkout."""

    name: str  # what --only matches; the output goes to NAME.txt or NAME.json
    needs: str  # the command whose files it reads, if any
    program: str
    arguments: tuple[str, ...]

    @property
    def printed(self) -> str:
        return f"{self.name}.json" if "--json" in self.arguments else f"{self.name}.txt"

    def prepare(self, folder: Path) -> None:
        """Make what the command reads beside others' files."""
        if self.name in FIRST:
            FIRST[self.name](folder)


def stretch_words(folder: Path) -> None:
    """Write plan.json: the printed plan with each new word half as long again."""
    plan = json.loads((folder / "printed-plan.json").read_text(encoding="utf-8"))
    for planned in plan["edits"]:
        for word in planned["words"]:
            word["seconds"] = round(1.5 * word["seconds"], 3)
    (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")


def leave_record(folder: Path) -> None:
    """Copy an edited file without its edit.json: its own comment lists its synthetic parts."""
    shutil.copyfile(folder / "several.edited.wav", folder / "found.wav")


def keep_version(number: int) -> Callable[[Path], None]:
    """A function that copies the version that the next command replaces."""

    def keep(folder: Path) -> None:
        for file in ("talk.edited.wav", "talk.edited.edit.json"):
            shutil.copyfile(folder / file, folder / f"version-{number}.{file}")

    return keep


VERSIONS = ("version-2", "version-3", "undo", "undo-2", "redo")
FIRST = {
    "plan-file": stretch_words,
    "found": leave_record,
    **{name: keep_version(number) for number, name in enumerate(VERSIONS, start=1)},
}


def commands() -> list[Command]:
    made = []
    for line in LINES.strip().splitlines():
        names, _, command = line.partition(": ")
        name, _, needs = names.partition(" < ")
        program, *arguments = shlex.split(command.format(**PARTS))
        made.append(Command(name, needs, program, tuple(arguments)))
    return made


def wanted(name: str | None) -> list[Command]:
    """The commands whose name contains ``name``, or whose list has such an edit, and the commands
    that they need."""
    every = {command.name: command for command in commands()}
    if not os.environ.get("A3T_CORPORA"):
        del every["clips"]
    if name is None:
        return list(every.values())
    chosen = {each for each in every if name in each}
    if any(name in row for row in list_of_edits()):
        chosen.add("list")
    for each in reversed(every):  # a command comes after the one it needs
        if each in chosen and every[each].needs:
            chosen.add(every[each].needs)
    return [command for each, command in every.items() if each in chosen]
