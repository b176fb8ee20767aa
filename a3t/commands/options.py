"""Options: how a command declares them, and those and the question that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from a3t.audio.matching.traits import MatchedTraits
from a3t.console import agrees, on_a_terminal, say
from a3t.errors import InputError
from a3t.plan.options import SHELL, Option, options_of
from a3t.projects.export.export_kinds import ENDINGS
from alignment.atomic import left_alone
from alignment.formats.dictionary import (
    MAX_LIST_BYTES,
    Dictionary,
    parse_entries,
    read_dictionary,
)
from alignment.formats.text_file import read_text

if TYPE_CHECKING:
    from a3t.text.transcript import Transcript

# What options are added to: a parser, or a group of one.
Options = argparse.ArgumentParser | argparse._ArgumentGroup

LONGEST_NAME = 255  # characters of a file's name; a longer value is a text

# The type of a value by its name in --help; other values are text.
TYPES: dict[str, type] = {
    **dict.fromkeys(("N", "HZ"), int),
    **dict.fromkeys(("X", "S", "MS", "DB", "LUFS"), float),
    **dict.fromkeys(("IN", "OUT", "FILE", "DIR", "FOLDER", "FILE_OR_FOLDER"), Path),
}
METAVARS = {"s": "S", "ms": "MS"}  # by unit; other numbers are an X, whole ones an N


def option(options: Options, usage: str, help: str | None = None, **settings: Any) -> None:
    """Add an option as --help shows it.

    usage: "--seed N", "--json" (a flag), "wav IN" (a positional). settings: further arguments of
    `ArgumentParser.add_argument`.
    """
    name, _, value = usage.partition(" ")
    if value:
        settings = {"metavar": value, "type": TYPES.get(value, str), **settings}
    elif "choices" not in settings:
        settings = {"action": "store_true", **settings}
    options.add_argument(name, help=help, **settings)


def text_argument(value: str, headings: bool = False) -> str:
    """Return a text, or that of the file after an @, or of a file with this name.

    ``headings``: with those of a document.
    """
    path = file_named(value)
    if path is None:
        return value
    from a3t.source.transcripts import text_and_kind

    text, about = text_and_kind(path, headings)
    if not value.startswith("@"):
        about = about or f"{value} is a file, so its text was read."
    if about:
        say(about)
    return text


def transcript_argument(value: str | None) -> Transcript | None:
    """Return the transcript of a text argument, None for none; InputError if it has no words."""
    from a3t.text.transcript import parsed

    return None if value is None else parsed(text_argument(value))


def file_named(value: str | None) -> Path | None:
    """Return the file that a text names: after an @, or as an existing file ("talk.txt")."""
    if value is None or value.startswith("@"):
        return Path(value[1:]) if value else None
    if len(value) > LONGEST_NAME or "\n" in value or not Path(value).suffix:
        return None
    try:
        return path if (path := Path(value)).is_file() else None
    except (OSError, ValueError):
        return None


def add_dictionary_options(options: Options) -> None:
    """Add --words, --dict and --pronounce, for `user_dictionary`."""
    about = (
        "names that are said, one a line, perhaps with their pronunciation: to recognise and say"
    )
    option(options, "--words FILE", about)
    option(options, "--dict FILE", "a file of pronunciations, as in CMUdict")
    option(
        options, '--pronounce "WORD=PHONES"',
        'one pronunciation, in phones or as it sounds: "Nguyen=W IH1 N", "Kyiv=KEE-yev"',
        action="append", default=[],
    )  # fmt: skip


def user_dictionary(options: argparse.Namespace) -> Dictionary:
    """Return the pronunciations of --words, --dict and --pronounce; the latter wins.

    Raises InputError if one can't be used.
    """
    return user_words(options)[0]


def user_words(options: argparse.Namespace) -> tuple[Dictionary, tuple[str, ...] | None]:
    """Return the user's pronunciations, and the words that are listened for.

    These are the words of --words and --pronounce; None for all, where there is no --words.
    """
    from a3t.text.pronunciation.letter_to_sound import as_it_sounds
    from a3t.text.pronunciation.pronouncer import listed_words

    known = read_dictionary(options.dict) if options.dict else {}
    single = parse_entries(options.pronounce, as_it_sounds)
    if not options.words:
        return known | single, None
    text = read_text(options.words, MAX_LIST_BYTES, "word list")
    listed = listed_words(text, options.words.name, known)
    return listed | known | single, (*listed, *single)


def export_kinds(value: str) -> tuple[str, ...]:
    """Parse the value of --export, a comma-separated list."""
    kinds = tuple(dict.fromkeys(kind.strip().lower() for kind in value.split(",") if kind.strip()))
    unknown = [kind for kind in kinds if kind not in ENDINGS]
    if unknown:
        raise argparse.ArgumentTypeError(f"“{unknown[0]}” is not one of {', '.join(ENDINGS)}")
    return kinds


def add_export_option(options: Options) -> None:
    """Add --export, for commands that make an edit."""
    about = f"also write these files beside OUT: {', '.join(ENDINGS)}"
    option(options, "--export KINDS", about, type=export_kinds, default=())


def add_tracks_option(options: Options) -> None:
    """Add --with, for commands that make an edit."""
    about = (
        "another speaker's track of the same conversation, which stays in step: written beside "
        "OUT; may be repeated"
    )
    option(options, "--with FILE", about, action="append", default=[], dest="tracks")


def add_recogniser_option(options: Options) -> None:
    """Add --recogniser, for commands that may have to recognise speech."""
    about = (
        "speech recogniser, used if there is no transcript: network, whisper, the name or folder "
        "of a Whisper model, or auto (A3T_RECOGNISER, else a fetched Whisper model, else the "
        "aligner's network; the default)"
    )
    option(options, "--recogniser NAME_OR_FOLDER", about, type=recogniser_name, default="auto")


def recogniser_name(value: str) -> str:
    """Parse the value of --recogniser."""
    from alignment.recognition import RECOGNISERS

    if value not in RECOGNISERS and not Path(value).is_dir():
        raise argparse.ArgumentTypeError(
            f"“{value}” is neither one of {', '.join(RECOGNISERS)} nor a Whisper model's folder"
        )
    return value


def add_table_options(options: Options, record: type, advanced: bool | None = None) -> None:
    """Add a record's options (`a3t.plan.options`): all, or those that are ``advanced`` or not."""
    for each in options_of(record, SHELL):
        if advanced in (None, each.advanced):
            _add_table_option(options, each)


def _add_table_option(options: Options, row: Option) -> None:
    usual = f"default: {row.usual}" if row.usual else ""
    notes = "; ".join(filter(None, (row.range, usual)))
    if row.kind is bool:
        option(options, row.flag, row.help)
    elif row.kind is MatchedTraits:
        about = f"{row.help}: {','.join(row.choices)}, or none ({notes})"
        option(options, f"{row.flag} KINDS", about, type=_parsed(row), default=row.default)
    elif row.choices:
        option(options, row.flag, row.help, choices=row.choices, default=row.default)
    else:
        metavar = METAVARS.get(row.unit, "N" if row.kind is int else "X")
        option(options, f"{row.flag} {metavar}", f"{row.help} ({notes})", default=row.default)


def _parsed(row: Option) -> Callable[[str], Any]:
    """Return a parser of a row's values for argparse."""

    def parse(value: str) -> Any:
        try:
            return row.read(value)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error).removesuffix(".")) from None

    return parse


def table_options(options: argparse.Namespace, record: type) -> dict[str, Any]:
    """Return the values of a record's options from a parsed command line."""
    values = {}
    for row in options_of(record, SHELL):
        value = getattr(options, row.flag.removeprefix("--").replace("-", "_"))
        values[row.name] = not value if row.turned_off_by else row.stored(value)
    return values


def add_voice_options(options: Options, record: type) -> None:
    """Add the options of `a3t edit` and `a3t tts` for the new words."""
    add_table_options(options, record, advanced=False)
    add_dictionary_options(options)
    option(options, "--voice NAME", "the speaker's voice, as made by `a3t voice make`")


def add_expert_options(options: Options, record: type) -> None:
    """Add the options of `a3t edit` and `a3t tts` for experts, and those that choose models."""
    add_table_options(options, record, advanced=True)
    for name, default in (("model", "small"), ("vocoder", "builtin")):
        about = f"a shipped {name}, or a folder with another (default: {default})"
        option(options, f"--{name} NAME_OR_PATH", about, default=default)
    option(
        options, "--device D", "device for the models: cpu, cuda … (default: cpu)", default="cpu"
    )


def write_and_report(write: Callable[[], list[Path]], report: Callable[[list[Path]], None]) -> None:
    """Write an edit and report its exports; those that failed are raised after the report."""
    from a3t.projects.export.exports import ExportError

    try:
        exported = write()
    except ExportError as error:
        report(error.made)
        raise
    report(exported)


def check_replaced(
    out: Path, ask: bool = True, yes: bool = False, tracks: Sequence[Path] = ()
) -> None:
    """Raise InputError if ``out``, or a track beside it, is a sound file that a3t did not make.

    Or one that somebody has changed since. The user may agree to replace it, on a terminal or by
    ``yes``. What looks like an unfinished write and isn't this user's is named.
    """
    from a3t.audio.output.files import sha256_of
    from a3t.audio.output.records import NEXT, load_record, record_path
    from a3t.rendering.edited import is_own_output

    name_left_alone(out.parent)
    edit, speech = (
        load_record(record) if record.is_file() else {}
        for record in (record_path(out), out.with_suffix(".speech.json"))
    )
    outputs = (each.get("output") for each in (edit, speech))
    written = {each.get("sha256") for each in outputs if isinstance(each, Mapping)} - {None}
    if not written or not out.is_file():
        _check_replaced(out, ask, yes)
    elif sha256_of(out) not in {*written, edit.get(NEXT)}:
        _check_replaced(out, ask, yes, changed=True)
    for track in tracks:
        if not (track.is_file() and is_own_output(edit, track)):
            _check_replaced(track, ask, yes)


@cache
def name_left_alone(folder: Path) -> None:
    """Name, once, the unfinished writes in a folder that can't be trusted."""
    for part in left_alone(folder):
        say(
            f"Left alone: {part}, an unfinished write that is not this a3t's, or whose files were "
            "changed since: delete it if you don't need it."
        )


def _check_replaced(out: Path, ask: bool, yes: bool, changed: bool = False) -> None:
    from a3t.audio.output.metadata import comment_of

    if yes or not out.is_file() or not out.stat().st_size:
        return
    try:
        own = not changed and "wrote this file:" in comment_of(out)
    except InputError:  # no sound at all
        own = False
    what = "was changed after a3t made it" if changed else "a3t did not make it"
    if own or (ask and on_a_terminal() and agrees(f"Replace {out}? It {what}.")):
        return
    raise InputError(f"{out} would be replaced, and {what}: move it, or choose another --out.")
