"""The command lines that both checkouts run."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.compare_checkouts.inputs import LESS, NEVER, SAYS, SEVERAL, list_of_edits


@dataclass(frozen=True)
class Command:
    """A command line, run in the working folder of a checkout."""

    name: str  # what --only matches; the output goes to NAME.txt or NAME.json
    program: str
    arguments: tuple[str, ...]
    needs: str = ""  # the command whose files it reads, if any
    before: Callable[[Path], None] = field(default=lambda folder: None)  # called first

    @property
    def printed(self) -> str:
        return f"{self.name}.json" if "--json" in self.arguments else f"{self.name}.txt"


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


def commands() -> list[Command]:
    talk, old, new = ("--wav", "talk.wav"), ("--text", SAYS), ("--new-text", NEVER)
    again, several = ("--wav", "talk.edited.wav"), ("--new-text", SEVERAL)
    found = ("--wav", "found.wav", "--text", SEVERAL, "--new-text", LESS)
    number = ("--new-text", NEVER.replace("degree", "number"))
    prompt = ("--prompt-wav", "talk.wav", "--prompt-text", SAYS)
    aligned = ("talk.wav", "--text", SAYS)
    made: list[Command] = []

    def add(name: str, program: str, *arguments: str, **more: Any) -> None:
        made.append(Command(name, program, arguments, **more))

    for folder in ("list", "clips", "list"):
        name = f"{folder}-again" if any(each.name == folder for each in made) else folder
        needs = folder if name != folder else ""
        listed = ("--manifest", f"{folder}.jsonl", "--out-dir", folder, "--jobs", "1")
        add(name, "a3t.edit", *listed, needs=needs)
    add("table", "a3t.edit", "--manifest", "table.tsv", "--out-dir", "table", "--jobs", "2")
    add("griffin-lim", "a3t.edit", *talk, *old, *new, "--vocoder", "griffin-lim", "--out", "g.wav")
    add("version-1", "a3t.edit", *talk, *old, *new, "--json")
    add("version-2", "a3t.edit", *again, *several, needs="version-1", before=keep_version(1))
    add("version-3", "a3t.edit", *again, *number, needs="version-2", before=keep_version(2))
    add("versions", "a3t.edit", *again, "--history", needs="version-3")
    add("undo", "a3t.edit", *again, "--undo", needs="version-3", before=keep_version(3))
    add("undo-2", "a3t.edit", *again, "--undo", needs="undo", before=keep_version(4))
    add("redo", "a3t.edit", *again, "--redo", needs="undo-2", before=keep_version(5))
    add("single", "a3t.edit", *talk, *old, *several, "--out", "several.edited.wav")
    redone = ("--replay", "several.edited.edit.json", "--out", "replayed.wav")
    add("replay", "a3t.edit", *redone, needs="single")
    add("found", "a3t.edit", *found, needs="single", before=leave_record)
    add("inspect", "a3t.inspect", "found.edited.wav", needs="found")
    add("inspected", "a3t.inspect", "found.edited.wav", "--json", needs="found")
    add("plan", "a3t.edit", *talk, *old, *several, "--plan")
    add("printed-plan", "a3t.edit", *talk, *old, *several, "--plan", "--json")
    planned = (*talk, "--plan-file", "plan.json", "--out", "planned.wav")
    add("plan-file", "a3t.edit", *planned, needs="printed-plan", before=stretch_words)
    add("recognised", "a3t.edit", *talk, *new, "--yes", "--out", "recognised.wav")
    add("usage", "a3t.edit", *talk, *new, "--speed", "fast")
    add("mismatch", "a3t.edit", *talk, "--text", "The weather will be sunny on Friday.", *new)
    papers = ("--text", "Bring the papers with you.", "--out", "speech.wav")
    add("speech", "a3t.tts", *prompt, *papers, "--json")
    morning = ("--text", "Good morning.", "--speed", "1.2", "--seed", "3", "--out", "fast.flac")
    add("speech-fast", "a3t.tts", *prompt, *morning)
    for suffix in ("TextGrid", "json", "srt"):
        add(f"align-{suffix}", "alignment", *aligned, "--out", f"aligned.{suffix}")
    long = ("long.wav", "--text", "@words.txt", "--jobs", "1", "--out", "long.ctm")
    add("align-long", "alignment", *long)
    shortened = ("long.wav", "--text", "@words.txt", "--longest", "0.3", "--out", "clean.wav")
    add("clean", "a3t", "clean", *shortened)
    muted = ("long.wav", "--text", "@words.txt", "--find", "breath,click,noise", "--action", "mute")
    add("clean-plan", "a3t", "clean", *muted, "--plan", "--json")
    add("clean-muted", "a3t", "clean", *muted, "--out", "muted.wav")
    read = "On 4/5 at 10.30 Dr. Smith read 3 lbs of records for $5.20, not Henry VIII's 1,984."
    add("readings", "a3t", "say-as", "--json", read)
    conversion = ("talk.wav", "--alignment", "aligned.TextGrid", "--out", "converted.lab")
    add("convert", "alignment", *conversion, needs="align-TextGrid")
    aligned_by = ("--alignment", "aligned.TextGrid", *new, "--out", "by-alignment.wav")
    add("alignment", "a3t.edit", *talk, *aligned_by, needs="align-TextGrid")
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
