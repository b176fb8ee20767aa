"""Fetch a model of Whisper for faster-whisper, after asking.

    a3t fetch-recogniser [tiny.en] [--yes]

huggingface_hub, which faster-whisper brings, downloads the revision that REVISIONS pins and resumes
what was interrupted; every file is compared with the hash that the server lists. What was fetched,
from where and with which sha256 is recorded beside the model, in SOURCE. HF_ENDPOINT names another
server of the same kind.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from pathlib import Path

from a3t.audio.output.files import sha256_of
from a3t.console import agrees, answer, on_a_terminal, say
from a3t.errors import InputError
from alignment.recognition.whisper import INSTALL, fetched_model, find_whisper, is_installed

SERVER = "https://huggingface.co"
LICENCE = "MIT"
OFFERED, MEGABYTES = "tiny.en", 75  # the smallest of MODELS: far better than the built-in one
LARGER_MEGABYTES = {"base.en": 145, "small.en": 484}
REVISIONS = {  # of the repositories Systran/faster-whisper-…
    "small.en": "d1d751a5f8271d482d14ca55d9e2deeebbae577f",
    "base.en": "3d3d5dee26484f91867d81cb899cfcf72b96be6c",
    "tiny.en": "0d3d19a32d3338f10357c0889762bd8d64bbdeba",
}
NEEDED = ("config.json", "model.bin", "tokenizer.json", "vocabulary.txt")
SOURCE = "source.json"
DECLINED = "not-now"  # a file beside the models: the user doesn't want to be asked again


def repository_of(model: str) -> str:
    """Return the repository in which the faster-whisper model of that name is published."""
    return f"Systran/faster-whisper-{model}"


def server_named() -> str:
    """Return the server that models come from."""
    return os.environ.get("HF_ENDPOINT", SERVER).rstrip("/")


def part_folder(model: str) -> Path:
    """Return the folder of a model that isn't complete yet."""
    target = fetched_model(model)
    return target.with_name(f"{target.name}.part-{REVISIONS[model][:12]}")


def bytes_fetched(model: str) -> int:
    """Return the bytes that have arrived of a model that isn't complete yet."""
    total = 0
    for path in part_folder(model).rglob("*"):
        with suppress(OSError):  # it is being renamed
            total += path.stat().st_size
    return total


def fetch_model(model: str) -> Path:
    """Fetch a model and return its folder, complete and checked.

    What was fetched before an interruption is kept. Raises InputError.
    """
    target, part, server = fetched_model(model), part_folder(model), server_named()
    if (target / "model.bin").is_file():
        return target
    try:
        from huggingface_hub import HfApi
    except ImportError:
        raise InputError(INSTALL) from None
    hub, repository, revision = HfApi(server, token=False), repository_of(model), REVISIONS[model]
    part.mkdir(parents=True, exist_ok=True)
    try:
        hub.snapshot_download(
            repository, revision=revision, local_dir=part, allow_patterns=[*NEEDED]
        )
        checked = hub.verify_repo_checksums(repository, revision=revision, local_dir=part)
    except Exception as error:  # its HTTP, cache and disk errors have no common base class
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise InputError(
            f"Whisper's {model} can't be fetched from {server} ({first}): try again with a "
            "network; what has arrived is kept."
        ) from None
    shutil.rmtree(part / ".cache", ignore_errors=True)  # the hub's notes
    wrong = [*checked.extra_paths, *(each["path"] for each in checked.mismatches)]
    wrong += [name for name in NEEDED if not (part / name).is_file()]
    if wrong:
        shutil.rmtree(part)
        raise InputError(
            f"{wrong[0]} of Whisper's {model} at {server} is not the published file (its hash "
            "differs) and was deleted: try again."
        )
    source = {"server": server, "repository": repository, "revision": revision}
    sums = {name: sha256_of(part / name) for name in NEEDED}
    (part / SOURCE).write_text(json.dumps(source | {"sha256": sums}, indent=1), encoding="utf-8")
    part.rename(target)
    say(f"{model} is in {target}, and is used from now on.")
    return target


def about(model: str) -> str:
    """Return a sentence about what would be fetched."""
    size = {OFFERED: MEGABYTES, **LARGER_MEGABYTES}[model]
    return (
        f"Whisper ({model}, {size} MB, {LICENCE} licence) comes from {server_named()} once, to "
        f"{fetched_model(model)}, and then works without a network; no recording leaves this "
        "machine."
    )


def offer(recogniser: str) -> None:
    """Ask once, on a terminal where something is about to be recognised, whether to fetch Whisper.

    The answer may be a larger model. Nothing happens where Whisper is there, or isn't wanted.
    """
    declined = fetched_model(OFFERED).with_name(DECLINED)
    unwanted = recogniser != "auto" or bool(os.environ.get("A3T_RECOGNISER")) or declined.exists()
    if unwanted or not on_a_terminal() or find_whisper() is not None:
        return
    say("The built-in recogniser gets one word in four wrong; Whisper one in fifteen.")
    if not is_installed():
        say(f"{INSTALL} Then: a3t fetch-recogniser.")
    else:
        say(about(OFFERED))
        larger = " and ".join(f"{name} ({size} MB)" for name, size in LARGER_MEGABYTES.items())
        say(f"{larger} hear better and take longer.")
        reply = answer(f"Fetch it? [y/N, or {' or '.join(LARGER_MEGABYTES)}] ")
        if reply in ("y", "yes", OFFERED, *LARGER_MEGABYTES):
            fetch_model(reply if reply in LARGER_MEGABYTES else OFFERED)
            return
        say("You won't be asked again; a3t fetch-recogniser fetches it later.")
    declined.parent.mkdir(parents=True, exist_ok=True)
    declined.touch()


def agreed(sentence: str) -> bool:
    """Ask the user and return whether they say yes; never without a terminal."""
    say(sentence)
    return on_a_terminal() and agrees("Fetch it?")
